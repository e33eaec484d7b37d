"""What the printed forms of methods give away: bounds that trials of this code prove, and losses computed exactly."""

from research.tasks.leaks._audit import Audit
from research.tasks.leaks._bounds import epsilon_lower_bound
from research.tasks.leaks._hpprivbayes import AUDITS as _HP
from research.tasks.leaks._jtree import AUDITS as _JTREE
from research.tasks.leaks._jtree import SHARE, threshold_loss
from research.tasks.leaks._pram import AUDITS as _PRAM
from research.tasks.leaks._privabn import AUDITS as _ABN
from research.tasks.leaks._privabn import conditional_loss, star_loss

AUDITS = {audit.row: audit for audit in (*_ABN, *_HP, *_JTREE, *_PRAM)}
"""By their rows in the soundness review."""

__all__ = ["AUDITS", "SHARE", "Audit", "conditional_loss", "epsilon_lower_bound", "star_loss", "threshold_loss"]
