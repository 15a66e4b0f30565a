"""Evaluation of agents: win shares and scores with intervals.

>>> from diamant_env.judging import evaluate
>>> judged = evaluate("ev", against="held-out", games=200)
>>> judged.results[0].games
200

``print(judged)`` prints a report. Requires ``pip install "diamant-env[judge]"``.
"""

try:
    from diamant_env.judging.evaluation import Difference, Evaluation, Result, evaluate
    from diamant_env.judging.intervals import Estimate
except ModuleNotFoundError as error:
    if error.name and error.name.startswith("diamant_env"):
        raise
    text = f'diamant_env.judging needs {error.name}: pip install "diamant-env[judge]"'
    raise ModuleNotFoundError(text, name=error.name) from error

__all__ = ["Difference", "Estimate", "Evaluation", "Result", "evaluate"]
