"""What compiled code says of vectors: the instructions of one call, written in LLVM's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils

_EIGHT = ir.VectorType(ir.IntType(64), 8)
FIRST = ir.Constant(ir.IntType(32), 0)
_WIDEST = 8  # float32 numbers in a vector: with 16 no faster, and slower where rows leave the caches


def vectors(count: int) -> Iterator[tuple[int, int]]:
    """Yield begin and width of vectors that cover `count` numbers; widths are powers of two, the last may overlap."""
    width = min(_WIDEST, 1 << count.bit_length() - 1)
    for begin in range(0, count - width + 1, width):
        yield begin, width
    if count % width:
        last = 1 << (count % width - 1).bit_length()
        yield count - last, last


class Code:
    """Writes the instructions of one call; arrays are named by their position among its arguments."""

    def __init__(self, context: Any, builder: Any, kinds: Sequence[Any], arguments: Sequence[Any]) -> None:
        self.context, self.builder, self.kinds, self.arguments = context, builder, kinds, arguments

    def _place(self, array: int, offset: Any, begin: int, width: int) -> Any:
        """A pointer to numbers of an array; `offset` is a value, the position of an argument, or None for 0."""
        if self.kinds[array].layout != "C":
            raise TypeError(f"an array of layout {self.kinds[array].layout!r}; expected 'C', contiguous")
        data = self.context.make_array(self.kinds[array])(self.context, self.builder, self.arguments[array]).data
        first = ir.Constant(ir.IntType(64), begin)
        if offset is not None:
            first = self.builder.add(first, self.arguments[offset] if isinstance(offset, int) else offset)
        vector = ir.VectorType(data.type.pointee, width)
        return self.builder.bitcast(self.builder.gep(data, [first]), vector.as_pointer())

    def load(self, array: int, offset: Any, begin: int, width: int) -> Any:
        """Return `width` numbers of an array as a vector."""
        return self.builder.load(self._place(array, offset, begin, width), align=self._align(array))

    def store(self, numbers: Any, array: int, offset: Any, begin: int) -> None:
        """Write a vector into an array."""
        self._require_writeable(array)
        self.builder.store(numbers, self._place(array, offset, begin, numbers.type.count), align=self._align(array))

    def load_row(self, array: int, row: int) -> Any:
        """Return a row of at most eight numbers as a vector of eight, 0 where there are none; `row`: an argument."""
        place, there = self._row(array, row)
        eight = place.type.pointee
        return self._masked("load", eight, eight, [place, self._alignment(array), there, eight(None)])

    def store_row(self, numbers: Any, array: int, row: int) -> None:
        """Write a vector of eight numbers into a row of at most eight."""
        self._require_writeable(array)
        place, there = self._row(array, row)
        self._masked("store", numbers.type, ir.VoidType(), [numbers, place, self._alignment(array), there])

    def _row(self, array: int, row: int) -> tuple[Any, Any]:
        """A pointer to a row, and which of eight numbers are there."""
        shape = self.context.make_array(self.kinds[array])(self.context, self.builder, self.arguments[array]).shape
        length = self.builder.extract_value(shape, 1)
        there = self.builder.icmp_signed(">", self.spread(length), ir.Constant(_EIGHT, list(range(8))))
        return self._place(array, self.builder.mul(self.arguments[row], length), 0, 8), there

    def _require_writeable(self, array: int) -> None:
        if not self.kinds[array].mutable:
            raise TypeError("an array that can't be written to; expected a writeable one")

    def _alignment(self, array: int) -> Any:
        return ir.Constant(ir.IntType(32), self._align(array))

    def _masked(self, what: str, vector: Any, result: Any, arguments: Sequence[Any]) -> Any:
        """Call LLVM's `llvm.masked.load` or `store`."""
        kind = f"v{vector.count}{vector.element.intrinsic_name}"
        signature = ir.FunctionType(result, [argument.type for argument in arguments])
        name = f"llvm.masked.{what}.{kind}.p0{kind}"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, signature, name), arguments)

    def spread(self, number: Any) -> Any:
        """Return a vector of eight times the same number."""
        one = self.builder.insert_element(ir.Constant(ir.VectorType(number.type, 8), ir.Undefined), number, FIRST)
        return self.builder.shuffle_vector(one, one, mask([0] * 8))

    def _align(self, array: int) -> int:
        return int(self.kinds[array].dtype.bitwidth // 8)

    def total(self, numbers: Any) -> Any:
        """Return the sum of a vector's numbers: its halves are added until one is left."""
        width = numbers.type.count
        while width > 1:
            width //= 2
            lower, upper = (mask(range(first, first + width)) for first in (0, width))
            shuffle = self.builder.shuffle_vector
            numbers = self.builder.add(shuffle(numbers, numbers, lower), shuffle(numbers, numbers, upper))
        return self.builder.extract_element(numbers, FIRST)


def mask(positions: Iterable[int]) -> Any:
    """Return which numbers of two vectors a shuffle takes."""
    chosen = list(positions)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(chosen)), chosen)
