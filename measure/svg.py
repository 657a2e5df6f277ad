# SPDX-License-Identifier: BSD-2-Clause
"""A drawing of text and bars, as SVG."""
import xml.sax.saxutils


class Svg:

  def __init__(self, width):
    self.width, self.elements = width, []

  def add(self, element):
    self.elements.append(element)

  def text(self, x, y, words, attributes=""):
    self.add(f'<text x="{x:g}" y="{y:g}"{attributes}>'
             f"{xml.sax.saxutils.escape(words)}</text>")

  def bar(self, x, y, width, height, colour):
    self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
             f'fill="{colour}"/>')

  def finish(self, height):
    size = f'width="{self.width}" height="{height:g}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
                      'font-family="sans-serif" font-size="12">',
                      f'<rect {size} fill="white"/>', *self.elements, "</svg>\n"])
