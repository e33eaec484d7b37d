"""The minimiser that the support vector machine and PrivateERM share: Newton's method on the Huber loss.

The Huber loss of a margin z (Chaudhuri, Monteleoni, Sarwate 2011, equation 7) is the hinge loss max(0, 1 − z) with its
corner rounded over |1 − z| ≤ h: (1 + h − z)²/(4h) there. It lies at most h/4 above the hinge loss and nowhere below
it, so minimising it with a small h minimises the hinge loss to within n·h/4.
"""

from __future__ import annotations

import numpy as np

from research.svm._features import Examples, Floats
from understudy._core.errors import InternalError

_STEPS = 500
EXACTLY = 1e-9
"""Of the largest gradient entry, for a loss summed over rows: one part in 10⁹ of one row."""
_SIZES, _FLAT = 20, 0.1  # a step ends where its loss falls or rises a tenth as steeply as at the start


def minimise_huber(
    examples: Examples,
    *,
    h: float,
    ridge: float,
    tilt: Floats | None = None,
    start: Floats | None = None,
    tolerance: float = EXACTLY,
) -> Floats:
    """The weights f that minimise Σ huber_h(±f·x) + ridge/2·‖f‖² + tilt·f, summed over all rows.

    Strictly convex, so there is one minimiser; the gradient is piecewise linear, so Newton's method with halved steps
    ends after finitely many of them, at rounding error, or where no entry of the gradient is above `tolerance`.

    >>> one = Examples(np.array([[1.0]]), np.array([1.0]), np.array([0.0]))
    >>> minimise_huber(one, h=0.5, ridge=1.0).round(6).tolist()
    [0.75]
    """
    features = examples.features
    tilt = np.zeros(examples.width) if tilt is None else tilt
    weights = np.zeros(examples.width) if start is None else start.copy()
    lines, across = examples.lines, examples.lines.T
    margin = lines @ weights
    value, slope, curve = _look(examples, margin, h)
    value += float(ridge / 2 * weights @ weights + tilt @ weights)
    for _ in range(_STEPS):
        gradient = across @ slope + ridge * weights + tilt
        if np.abs(gradient).max() <= tolerance:
            return weights
        bent = np.flatnonzero(curve)
        rows = features[bent]
        rows *= np.sqrt(curve[bent, None])
        hessian = rows.T @ rows
        hessian[np.diag_indices_from(hessian)] += ridge
        step = -np.linalg.solve(hessian, gradient)
        descent = float(gradient @ step)
        blind = 1e-13 * max(1.0, abs(value))  # what the rounding of a sum over rows hides
        along = lines @ step
        others = descent - float(slope @ along)  # the derivative of all but the rows' losses
        size = _size(examples, margin, along, h, (descent, others, float(ridge * step @ step)))
        while True:
            tried = weights + size * step
            margin = lines @ tried
            found, slope, curve = _look(examples, margin, h)
            found += float(ridge / 2 * tried @ tried + tilt @ tried)
            if found <= value + 1e-4 * size * descent + blind:
                break
            size /= 2
        if -descent < blind and np.abs(across @ slope + ridge * tried + tilt).max() >= np.abs(gradient).max():
            return weights  # neither the value nor the gradient shows that this step was better
        weights, value = tried, found
    raise InternalError("Newton's method did not settle.")


def _size(examples: Examples, margin: Floats, along: Floats, h: float, start: tuple[float, float, float]) -> float:
    """About how many times a step to go, where the loss along it is least: a whole one where that does.

    `start` is the derivative at the start, that of all but the rows' losses, and by how much the ridge raises it from
    there to the end of a whole step. The loss is convex, so the derivative rises: Newton's method on it, kept between
    two sizes that enclose the place.
    """
    descent, others, rise = start
    low, high, size = 0.0, np.inf, 1.0
    for _ in range(_SIZES):
        _, slope, curve = _look(examples, margin + size * along, h)
        found = float(slope @ along) + others + size * rise
        if abs(found) <= _FLAT * abs(descent):
            break
        low, high = (size, high) if found < 0 else (low, size)
        following = size - found / (float(curve @ (along * along)) + rise)
        size = following if low < following < high else 2 * size if np.isinf(high) else (low + high) / 2
    return size


def _look(examples: Examples, margin: Floats, h: float) -> tuple[float, Floats, Floats]:
    """Loss over all rows, and its first and second derivative by each distinct row's margin."""
    loss, slope, curve = 0.0, np.zeros_like(margin), np.zeros_like(margin)
    for sign, count in ((1.0, examples.yes), (-1.0, examples.no)):
        short = 1.0 - sign * margin
        bent = np.clip((short + h) / (2 * h), 0.0, 1.0)  # minus the derivative by the signed margin
        loss += float(count @ np.where(short > h, short, h * bent * bent))
        slope -= sign * count * bent
        curve += count * ((bent > 0) & (bent < 1)) / (2 * h)
    return loss, slope, curve
