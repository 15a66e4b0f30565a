"""Evaluation of agents: win shares and scores with intervals.

>>> from diamant_env.evaluation import evaluate
>>> evaluated = evaluate("ev", against="held-out", games=200)
>>> evaluated.results[0].games
200

``print(evaluated)`` prints a report. Requires ``pip install "diamant-env[evaluation]"``.
"""

try:
    from diamant_env.evaluation.evaluation import Difference, Evaluation, Result, evaluate
    from diamant_env.evaluation.intervals import Estimate
except ModuleNotFoundError as error:
    if error.name and error.name.startswith("diamant_env"):
        raise
    text = f'diamant_env.evaluation needs {error.name}: pip install "diamant-env[evaluation]"'
    raise ModuleNotFoundError(text, name=error.name) from error

__all__ = ["Difference", "Estimate", "Evaluation", "Result", "evaluate"]
