"""Compiled code: how functions are compiled, and what is said in LLVM's terms beside its NumPy twin. Private."""
