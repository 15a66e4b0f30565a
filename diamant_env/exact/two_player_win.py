"""Whole games of two players for the win, without relics: values and minimax policies by backward induction.

The win share depends on the chests through the lead alone. With both inside, bag and path follow from the cards, so a
state is (cards, lead): a 2 x 2 constant-sum game. After one player has left with x gems the other's bag is the sum of
the treasures less x: optimal stopping over (cards, x, lead).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.compilation import jit
from diamant_env.editions import EDITIONS, FIRST_TRAP, Edition, find_edition
from diamant_env.engine.edition_params import edition_params, edition_params_array
from diamant_env.engine.records import as_games, observe_records
from diamant_env.exact.cards import CardSets, card_sets, index_of, read_set, require_decisions
from diamant_env.exact.equilibrium import cache_file, load_numbers, save_numbers
from diamant_env.exact.expeditions import ExpeditionStart, current_expedition, deck_of, expeditions_after, sort_traps
from diamant_env.exact.induction import EQUILIBRIUM, EVALUATE, RESPONSE, Progress
from diamant_env.exact.moves import after_bust, after_leaving, fatal_kinds, start_of_expedition
from diamant_env.exact.response import answers_to, games_at
from diamant_env.exact.tree import build_tree
from diamant_env.state import OVER, GameState

MAX_MEMORY = 4_000_000_000  # bytes of one expedition
MAX_PLANS = 2_000_000_000  # bytes of cached policies
SHIPPED = Path(__file__).with_suffix(".npy")
NO_POLICY = np.zeros((0, 2), np.float32)


class _Expedition(NamedTuple):
    """An expedition from a state on, for any lead, and the memory of `induce`."""

    sets: CardSets
    banked: NDArray[np.int64]  # (sets,), gems of a player who leaves alone; 0 if one has left before
    total: NDArray[np.int64]  # (sets,), gems of both, those that a player has banked before excepted
    first: NDArray[np.int64]  # (sets + 1,), offset of each set's states with one player inside, by x up to `banked`
    left: NDArray[np.float64]  # (2, leads), win share of player and rival by own lead, centred on 0, after leaving
    bust: NDArray[np.float64]  # (2, digits + 1, leads), the same after a bust by a digit's trap; [-1]: on the path
    alone: NDArray[np.float64]  # (2, states), win share of player and rival inside alone
    both: NDArray[np.float64]  # (sets,), win share of the player with both inside
    ahead: NDArray[np.float64]  # (2, x), win shares of player and rival by continuing alone


class Decision(NamedTuple):
    """A player's win shares at a joint decision, float64."""

    both_stay: Any
    stay_alone: Any  # the rival leaves
    stay: Any  # the rival plays its policy, as in `leave`
    leave: Any
    policy: Any  # the player's probability of leaving


@dataclass(eq=False)
class TwoPlayerWin:
    """The solved game.

    Attributes:
        edition: The edition.
        shares: Win share of a player at the start of each expedition by its lead, centred on 0, float64 (leads,).
        error: Maximum gain of a deviation at a single state, as win share.
    """

    edition: Edition
    shares: dict[ExpeditionStart, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    error: float = 0
    _plans: dict[tuple, tuple[CardSets, NDArray[np.float32]]] = field(default_factory=dict, init=False, repr=False)

    @property
    def value(self) -> float:
        """Win share of a player in a new game."""
        return float(self.win_shares(start_of_expedition(self.edition, 2), np.zeros(1, np.int64))[0])

    def win_shares(self, game: GameState, leads: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a player's win share at the start of an expedition or the end of the game, float64 (leads,).

        Args:
            game: The state, a record of type `GAME`; its chests are ignored.
            leads: int64 (leads,), the player's chest less the rival's in gems. A lead that can't occur counts as won.
        """
        shares = np.array([0.5]) if game["phase"] == OVER else self.shares[deck_of(game, self.edition)]
        decided = len(shares) // 2 + 1
        return np.concatenate([[0.0], shares, [1.0]])[np.clip(leads, -decided, decided) + decided]

    def action_values(self, game: GameState) -> NDArray[np.float64]:
        """Return seat 0's win shares of CONTINUE and LEAVE and its probability of leaving, float64 (3,).

        The rival plays the equilibrium now, and both play it afterwards.

        Args:
            game: A state in which seat 0 must decide, a record of type `GAME`.
        """
        lead = int(game["chest"][0]) - int(game["chest"][1])
        expedition = expedition_from(game, lead, self)
        decision = induce(expedition, lead, NO_POLICY, EQUILIBRIUM)[1]
        if game["num_inside"] == 2:
            return np.array([decision.stay, decision.leave, decision.policy])
        leave = self.win_shares(after_leaving(game, self.edition), lead + expedition.total[:1])[0]
        return np.array([decision.stay_alone, leave, leave >= decision.stay_alone])

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float32]:
        """Return seat 0's minimax probability of leaving, float32 (games,).

        Args:
            games: States in which seat 0 must decide, records of type `GAME` (games,).

        Raises:
            ValueError: If a state is of another table size or phase, or can't occur in the edition.
        """
        games = as_games(games)
        require_decisions(games)
        if (games["num_players"] != 2).any():
            raise ValueError(f"{games['num_players'].max()} players; the game is solved for 2")
        sort_traps(games, len(self.edition.traps))
        leads, starts = games["chest"][:, 0].astype(int) - games["chest"][:, 1], current_expedition(games, self.edition)
        leave, groups = np.zeros(len(games), np.float32), defaultdict(list)
        for row, lead in enumerate(leads.tolist()):
            if games["num_inside"][row] == 1:
                leave[row] = self.action_values(games[row])[2]
            else:
                groups[starts[row].tobytes(), abs(lead)].append(row)
        for (_, lead), rows in groups.items():
            (sets, policy), nodes = self.plan(starts[rows[0]], lead), np.zeros(len(rows), np.int64)
            _indices_of(sets, starts[rows[0]], games[rows], nodes)
            if (nodes < 0).any():
                raise ValueError(f"a state has cards that can't occur in {self.edition.name!r}")
            leave[rows] = policy[nodes, (leads[rows] < 0).astype(int)]
        return leave

    def plan(self, start: GameState, lead: int) -> tuple[CardSets, NDArray[np.float32]]:
        """Return the sets of cards of an expedition and the `policy` of `induce`; the latest ones are cached."""
        plans, key = self._plans, (start["deck"].tobytes(), int(start["expedition"]), lead)
        if key not in plans:
            expedition = expedition_from(start, lead, self)
            plans[key] = expedition.sets, np.zeros((expedition.sets.size, 2), np.float32)
            induce(expedition, lead, plans[key][1], EQUILIBRIUM)
            while len(plans) > 1 and sum(policy.nbytes for _, policy in plans.values()) > MAX_PLANS:
                del plans[next(iter(plans))]
        return plans[key]


class JointEvaluation(NamedTuple):
    """Win shares of an agent, see `guaranteed_by`; without `bounds` those of `guaranteed` alone."""

    guaranteed: TwoPlayerWin  # against the best response; at leads above the maximum the agent plays as minimax
    least: TwoPlayerWin  # the same, but there the agent loses
    against_minimax: TwoPlayerWin  # against minimax play; there the agent plays as minimax

    @property
    def value(self) -> float:
        """Guaranteed win share in a new game; the exploitability is 0.5 less it, at most 0.5 less `least.value`."""
        return self.guaranteed.value


def solve_two_player_win(
    edition: str | Edition = "iello-2016-fr", progress: Progress | None = None, cache: bool = True
) -> TwoPlayerWin:
    """Solve the whole game of two players for the win, last expeditions first.

    Args:
        edition: Name of a published edition or an `Edition`, without relics and with open chests.
        progress: Called with the fraction done, 0 to 1.
        cache: Whether to use the shipped solution of 30 cards and the cache on disk.

    Raises:
        ValueError: If the edition has relics or hidden chests, or an expedition has too many states.
    """
    edition = find_edition(edition)
    if edition.relics or edition.hidden_chests:
        what = "relics" if edition.relics else "hidden chests"
        raise ValueError(f"{edition.name!r} has {what}; a game of two players for the win is solved without")
    games, solution, shipped = expeditions_of(edition), TwoPlayerWin(edition), _shipped(edition) if cache else {}
    done, total = 0, sum(num_leads(game, edition) for game in games.values())
    for deck, game in games.items():
        file, leads = cache_file(game, edition, "two-player win") if cache else None, num_leads(game, edition)
        numbers = shipped[deck] if shipped else load_numbers(file)
        if numbers is None:
            expedition, numbers = expedition_from(game, leads, solution), np.zeros(1 + leads)
            for lead in range(leads):
                error, decision = induce(expedition, lead, NO_POLICY, EQUILIBRIUM)
                numbers[0], numbers[1 + lead] = max(numbers[0], error), decision.both_stay
                if progress:
                    progress((done + lead) / total)
            save_numbers(file, numbers)
        done, ahead = done + leads, numbers[1:]
        solution.shares[deck] = np.concatenate([1 - ahead[:0:-1], ahead])
        solution.error = max(solution.error, float(numbers[0]))
    if progress:
        progress(1)
    return solution


def guaranteed_by(
    agent: Agent, solution: TwoPlayerWin, max_lead: int = 64, progress: Progress | None = None, bounds: bool = True
) -> JointEvaluation:
    """Return the win shares of an agent's joint decisions; a player alone inside maximises its share.

    Args:
        agent: A function of the observation; `diamant_env.opponents.inputs.ExactView` merges equivalent ones.
        solution: The solved game.
        max_lead: Maximum lead at the start of an expedition, in gems, at which the agent is asked.
        progress: Called with the fraction done, 0 to 1.
        bounds: Whether to compute `least` and `against_minimax`, too, which takes three times as long.

    Raises:
        ValueError: If the agent is stateful, samples its decisions, or returns values outside [0, 1].
    """
    edition, games = solution.edition, expeditions_of(solution.edition)
    result, params = JointEvaluation(*(TwoPlayerWin(edition) for _ in range(3))), edition_params_array([edition])
    evaluated = result if bounds else result[:1]
    for number, (deck, game) in enumerate(games.items()):
        tree, shares = build_tree(game, edition), solution.shares[deck]
        centre = len(shares) // 2
        most = min(max_lead, centre)
        states, policy = games_at(tree, tree.boxes.first[1:, 2]), np.zeros((tree.sets.size, 2), np.float32)
        expeditions = [expedition_from(game, most, part) for part in evaluated]
        for part in evaluated:
            part.shares[deck] = shares.copy()
        if bounds:
            result.least.shares[deck][np.abs(np.arange(-centre, centre + 1)) > most] = 0
        for step, lead in enumerate(sorted(range(-most, most + 1), key=abs)):  # leads of d and -d have the same plan
            states["chest"][:, 0], states["chest"][:, 1] = max(lead, 0), max(-lead, 0)
            for nodes in np.array_split(np.arange(len(states)), len(states) // 16_000 + 1):
                policy[1 + nodes, 0] = answers_to(observe_records(states[nodes], params)[:, 0], agent, edition)
            values = [induce(expedition, lead, policy, RESPONSE)[1].both_stay for expedition in expeditions[:2]]
            if bounds:
                policy[:, 1] = solution.plan(game, abs(lead))[1][:, int(lead >= 0)]
                values.append(induce(expeditions[2], lead, policy, EVALUATE)[1].both_stay)
            for part, value in zip(evaluated, values, strict=True):
                part.shares[deck][centre + lead] = value
            if progress:
                progress((number + (1 + step) / (2 * most + 1)) / len(games))
    return result


def expeditions_of(edition: Edition) -> dict[ExpeditionStart, GameState]:
    """Return the starts of all expeditions of two players, each after those that can follow it."""
    start = start_of_expedition(edition, 2)
    return {**expeditions_after(start, edition), deck_of(start, edition): start}


def num_leads(game: GameState, edition: Edition) -> int:
    """Return the number of leads at the start of an expedition, from 0 on, that can occur and decide no game."""
    expedition = int(game["expedition"])
    return 1 + sum(edition.treasures) * min(expedition - 1, edition.expeditions - expedition + 1)


def is_shipped(edition: Edition) -> bool:
    """Return whether an edition has the cards and rules of the shipped solution, in as many expeditions or fewer."""
    whole = EDITIONS["iello-2016-fr"]
    if edition.expeditions > whole.expeditions:
        return False
    shipped = edition_params(replace(whole, expeditions=edition.expeditions))
    return edition_params(edition).tobytes() == shipped.tobytes()


def ship() -> None:
    """Solve the 30-card game and write the shipped solution: error and win shares of every expedition."""
    solution = solve_two_player_win("iello-2016-fr", cache=False)
    np.save(SHIPPED, np.concatenate([[solution.error, *s[len(s) // 2 :]] for s in solution.shares.values()]))


def _shipped(edition: Edition) -> dict[ExpeditionStart, NDArray[np.float64]]:
    """Return error and win shares of the expeditions of the 30-card game, {} for other decks."""
    if not is_shipped(edition):
        return {}
    whole = EDITIONS["iello-2016-fr"]
    skipped, games = whole.expeditions - edition.expeditions, expeditions_of(whole)
    parts = np.split(np.load(SHIPPED), np.cumsum([1 + num_leads(game, whole) for game in games.values()])[:-1])
    return {deck._replace(expedition=deck.expedition - skipped): part for deck, part in zip(games, parts, strict=True)}


def expedition_from(game: GameState, lead: int, solution: TwoPlayerWin) -> _Expedition:
    """Return the expedition from a state on, for leads up to a lead of either player."""
    edition, params = solution.edition, edition_params(solution.edition)
    sets, values, shares = card_sets(game, edition), params["treasure_value"].astype(int), params["share"][2]
    both, held = game["num_inside"] == 2, int(game["bag"]) + int(game["path_gems"])
    banked_mean = 1 + both * (held + ((values - shares) * game["deck"][:FIRST_TRAP]).sum() / 2)
    if (size := sets.size * (48 + 16 * banked_mean)) > MAX_MEMORY:
        raise ValueError(f"an expedition of {edition.name!r} takes {size / 1e9:.1f} GB; at most 4 are used")
    total = _sums(sets, values, held + both * int(game["bag"]))
    banked = _sums(sets, both * (values - shares), both * held)
    first = np.append(0, np.cumsum(banked + 1))
    most = abs(lead) + int(total.max())
    leads = np.arange(-most, most + 1)
    bust = np.zeros((len(sets.radix) + 1, len(leads)))
    for traps, digit in fatal_kinds(game, sets):
        copies = game["deck"][[FIRST_TRAP + trap for trap in traps]]
        ends = [solution.win_shares(after_bust(game, edition, trap), leads) for trap in traps]
        bust[digit] = np.average(ends, axis=0, weights=copies)
    left = solution.win_shares(after_leaving(game, edition), leads)
    left, bust = np.stack([left, 1 - left[::-1]]), np.stack([bust, 1 - bust[:, ::-1]])
    memory = np.zeros((2, first[-1])), np.zeros(sets.size), np.zeros((2, int(banked.max()) + 1))
    return _Expedition(sets, banked, total, first, left, bust, *memory)


def _sums(sets: CardSets, values: NDArray[np.int64], start: int) -> NDArray[np.int64]:
    """Return `start` plus the sum over the treasures of each set of their `values`, int64 (slots,)."""
    sums = np.array([start])
    for card, radix in zip(sets.card.tolist(), sets.radix.tolist(), strict=True):
        each = values[card] if card >= 0 else 0
        sums = (np.arange(radix)[:, None] * each + sums).ravel()
    return sums


@jit
def _stop_alone(expedition, index, digits, deck_size, own, side, values, ahead):
    """Write the win shares of a player inside alone into `values`, and those of continuing by x into `ahead`.

    `own` is the place of the player's lead in `left` and `bust`, before the rival has banked x gems.
    """
    sets, banked, total, first = expedition.sets, expedition.banked, expedition.total, expedition.first
    left, bust = expedition.left[side], expedition.bust[side]
    last = banked[index] + 1  # Numba vectorises loops over slices
    ahead, here = ahead[:last], values[first[index] :]
    ends = bust[-1, : own + 1][::-1]
    for x in range(last):
        ahead[x] = sets.always_fatal * ends[x]
    for digit in range(digits.shape[0]):
        safe, fatal = sets.safe[digit, digits[digit]], sets.fatal[digit, digits[digit]]
        if fatal:
            ends = bust[digit, : own + 1][::-1]
            for x in range(last):
                ahead[x] += fatal * ends[x]
        if safe:
            after = values[first[index + sets.stride[digit]] :]
            for x in range(last):
                ahead[x] += safe * after[x]
    leaving = left[: own + total[index] + 1][::-2]
    for x in range(last):
        ahead[x] /= deck_size
        here[x] = max(ahead[x], leaving[x])


@jit(cached=True)
def induce(expedition, lead, policy, mode):
    """Solve an expedition for a lead; return the maximum gain of a deviation and the decision at its start.

    `policy`, float32 (sets, 2) or (0, 2), has the probabilities of leaving of the player and the rival: output, except
    the player's in mode `RESPONSE` and both in mode `EVALUATE`. Before the first card, both stay.
    """
    sets, banked, left, bust = expedition.sets, expedition.banked, expedition.left[0], expedition.bust[0]
    alone, both, ahead = expedition.alone, expedition.both, expedition.ahead
    digits, centre, error = np.zeros(sets.radix.shape[0], np.int64), left.shape[0] // 2, 0.0
    decision = Decision(0.0, 0.0, 0.0, 0.0, 0.0)
    for index in range(sets.size - 1, -1, -1):
        deck_size = read_set(sets, index, digits).deck_size
        mean = sets.always_fatal * bust[-1, centre + lead]
        for digit in range(digits.shape[0]):
            safe, fatal = sets.safe[digit, digits[digit]], sets.fatal[digit, digits[digit]]
            mean += fatal * bust[digit, centre + lead]
            if safe:
                mean += safe * both[index + sets.stride[digit]]
        for side in range(2):
            from_seat = centre + lead if side == 0 else centre - lead
            _stop_alone(expedition, index, digits, deck_size, from_seat, side, alone[side], ahead[side])
        at = banked[index]
        both_stay, both_leave = mean / deck_size, left[centre + lead]
        stay_alone, leave_alone = ahead[0, at], 1 - ahead[1, at]
        if mode == EQUILIBRIUM:
            p = minimax(both_stay, stay_alone, leave_alone, both_leave)
        else:
            p = np.float64(policy[index, 0])
        rival_stay = 1 - both_stay - p * (leave_alone - both_stay)
        rival_leave = 1 - stay_alone - p * (both_leave - stay_alone)
        if mode == EVALUATE:
            q = np.float64(policy[index, 1])
        elif mode == RESPONSE:
            q = np.float64(rival_leave > rival_stay)
        else:
            q = minimax(1 - both_stay, 1 - leave_alone, 1 - stay_alone, 1 - both_leave)
        stay = both_stay + q * (stay_alone - both_stay)
        leave = leave_alone + q * (both_leave - leave_alone)
        both[index] = value = stay + p * (leave - stay)
        error = max(error, stay - value, leave - value, rival_stay - (1 - value), rival_leave - (1 - value))
        decision = Decision(both_stay, stay_alone, stay, leave, p)
        if policy.shape[0]:
            policy[index, 0], policy[index, 1] = p, q
    return error, decision


@jit
def minimax(both_stay, stay_alone, leave_alone, both_leave):
    """Return the probability of leaving that maximises the minimum of a player's win share."""
    if_rival_stays, if_rival_leaves = leave_alone - both_stay, both_leave - stay_alone  # gains of leaving
    if if_rival_stays <= 0 and if_rival_leaves <= 0:
        return 0.0
    if if_rival_stays >= 0 and if_rival_leaves >= 0:
        return 1.0
    return min(max((both_stay - stay_alone) / (if_rival_leaves - if_rival_stays), 0.0), 1.0)


@jit(cached=True)
def _indices_of(sets, start, games, indices):
    """Write `index_of` of each game into `indices`."""
    for i in range(games.shape[0]):
        indices[i] = index_of(sets, start, games[i])
