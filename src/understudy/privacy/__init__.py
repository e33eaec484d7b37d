"""The only door to private rows: exact noise and selection, neighbours, budgets, the ledger, the curator."""

from understudy.privacy._budget import (
    Budget,
    PrivacyWarning,
    PureBudget,
    ZCDPBudget,
    epsilon_for,
    make_budget,
    parse_number,
)
from understudy.privacy._curator import Curator
from understudy.privacy._ledger import Account, Entry, Ledger, LedgerWithReceipts, MemoryLedger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import ExactNoise, Noise, OpenDPNoise, make_noise
from understudy.privacy._open import open_curator
from understudy.privacy._parities import Parities, code_bits, count_parities, walsh_hadamard
from understudy.privacy._protection import ChoiceStep, Factors, Protection, TableStep, factors_of
from understudy.privacy._selection import selection_rate
from understudy.privacy._sqlite_ledger import LedgerFile, SQLiteLedger, read_ledger
from understudy.privacy._strength import Strength
from understudy.privacy._table_noise import table_noise
from understudy.privacy._values import Candidate, Charge, Measurement, NoiseLevel, Score

ADD_REMOVE = Neighbours.ADD_REMOVE
REPLACE_ONE = Neighbours.REPLACE_ONE

__all__ = [
    "ADD_REMOVE",
    "REPLACE_ONE",
    "Account",
    "Budget",
    "Candidate",
    "Charge",
    "ChoiceStep",
    "Curator",
    "Entry",
    "ExactNoise",
    "Factors",
    "Ledger",
    "LedgerFile",
    "LedgerWithReceipts",
    "Measurement",
    "MemoryLedger",
    "Neighbours",
    "Noise",
    "NoiseLevel",
    "OpenDPNoise",
    "Parities",
    "PrivacyWarning",
    "Protection",
    "PureBudget",
    "SQLiteLedger",
    "Score",
    "Strength",
    "TableStep",
    "ZCDPBudget",
    "code_bits",
    "count_parities",
    "epsilon_for",
    "factors_of",
    "make_budget",
    "make_noise",
    "open_curator",
    "parse_number",
    "read_ledger",
    "selection_rate",
    "table_noise",
    "walsh_hadamard",
]
