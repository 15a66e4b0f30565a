"""Types shared by the canvases, `PixelCanvas` and `SvgCanvas`."""

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height
