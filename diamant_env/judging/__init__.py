"""Evaluation of agents: win shares with intervals, deviation gains.

>>> from diamant_env.judging import evaluate
>>> judged = evaluate("ev", against="held-out", games=200)
>>> judged.results[0].games
200

``print(judged)`` prints a report. Requires ``pip install "diamant-env[judge]"``.
"""

try:
    from diamant_env.judging.deviation import DeviationGain, DeviationGame, deviation_gains
    from diamant_env.judging.evaluation import Difference, Result, compare
    from diamant_env.judging.intervals import Estimate
    from diamant_env.judging.lineups import LineUp
    from diamant_env.judging.report import Evaluation, evaluate
except ModuleNotFoundError as error:
    if error.name and error.name.startswith("diamant_env"):
        raise
    text = f'diamant_env.judging needs {error.name}: pip install "diamant-env[judge]"'
    raise ModuleNotFoundError(text, name=error.name) from error

__all__ = [
    "DeviationGain",
    "DeviationGame",
    "Difference",
    "Estimate",
    "Evaluation",
    "LineUp",
    "Result",
    "compare",
    "deviation_gains",
    "evaluate",
]
