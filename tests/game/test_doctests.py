"""The examples in the docstrings of the rules do what they show."""

import doctest
import inspect

from diamant_env import rules


def test_the_examples_of_the_rules():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    documented = [rules, *(getattr(thing, "py_func", thing) for thing in vars(rules).values())]
    for thing in documented:
        if inspect.ismodule(thing) or inspect.isfunction(thing):
            for test in finder.find(thing, globs=vars(rules).copy()):
                runner.run(test)
    assert runner.tries >= 8
    assert runner.failures == 0
