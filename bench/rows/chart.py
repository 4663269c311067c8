"""A bar chart as SVG."""

from xml.sax.saxutils import escape

COLORS = ("#2b6cb0", "#90b4d8", "#c05621", "#718096", "#2f855a")


def bars(title, groups, unit):
    """groups: (name, [(series, value)]), one block of bars each; each block has a scale of its own, since shapes differ by
    orders of magnitude. Values that are None are left out."""
    series = []
    for _, values in groups:
        series += [name for name, _ in values if name not in series]
    left, width, bar, gap, top = 300, 420, 12, 10, 60
    parts, y = [], top
    for name, values in groups:
        values = [(s, v) for s, v in values if v is not None]
        if not values:
            continue
        largest = max(v for _, v in values) or 1
        middle = y + len(values) * bar / 2 + 4
        parts.append('<text x="%d" y="%.0f" text-anchor="end">%s</text>' % (left - 8, middle, escape(name)))
        for s, v in values:
            length = max(1, width * v / largest)
            parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
                left, y, length, bar - 2, COLORS[series.index(s) % len(COLORS)]))
            parts.append('<text x="%.1f" y="%d">%s</text>' % (left + length + 4, y + bar - 3,
                                                             escape(("%.4g %s" % (v, unit)).strip())))
            y += bar
        y += gap
    legend = "".join('<rect x="%d" y="32" width="10" height="10" fill="%s"/><text x="%d" y="41">%s</text>' % (
        left + 130 * n, COLORS[n % len(COLORS)], left + 130 * n + 14, escape(s)) for n, s in enumerate(series))
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">\n'
            '<rect width="100%%" height="100%%" fill="white"/>\n<text x="8" y="20" font-size="14">%s</text>\n%s\n%s\n'
            '</svg>\n') % (left + width + 120, y + 10, escape(title), legend, "\n".join(parts))
