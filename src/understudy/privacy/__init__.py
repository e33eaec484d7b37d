"""The only door to private rows: exact noise and selection, neighbours, budgets, the ledger, the curator."""

from understudy.privacy._accountant import Touch
from understudy.privacy._booking import Booking
from understudy.privacy._budget import (
    Budget,
    GDPBudget,
    PrivacyWarning,
    PureBudget,
    make_budget,
    parse_number,
)
from understudy.privacy._choice_questions import BestCandidate, FarthestGuess
from understudy.privacy._conversion import epsilon_for, epsilon_of_part
from understudy.privacy._count_questions import NoisyCell, NoisyTables, NumberOfRows, measure_weighted
from understudy.privacy._curator import Curator
from understudy.privacy._farthest_parities import FarthestParities
from understudy.privacy._interactions import InteractionMeasurement, Interactions, interaction_sensitivity
from understudy.privacy._ledger import Account, Entry, Ledger, LedgerWithReceipts
from understudy.privacy._linear import MOST_PARTS, LinearQueries
from understudy.privacy._linear_questions import (
    WEIGHT_PARTS,
    FirstAbove,
    NoisyAnswers,
    NoisyLinear,
    QuantileOfErrors,
    WorstTable,
    distance_moved,
    row_sensitivity,
)
from understudy.privacy._mechanisms import AboveThreshold, AddNoise, Counted, Mechanism
from understudy.privacy._memory_ledger import MemoryLedger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import ExactNoise, Noise, OpenDPNoise, make_noise
from understudy.privacy._open import open_curator
from understudy.privacy._parities import (
    NoisyParities,
    Parities,
    code_bits,
    count_parities,
    parities_sensitivity,
    walsh_hadamard,
)
from understudy.privacy._parities_together import ParitiesTogether
from understudy.privacy._protection import ChoiceStep, Protection, TableStep, factors_of
from understudy.privacy._question import Noiseless, Price, PrivateRows, PublicFacts, Question
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._sqlite_ledger import LedgerFile, SQLiteLedger, read_ledger
from understudy.privacy._strength import MeanStrength, Strength
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._together import AddTogether, TablesTogether
from understudy.privacy._together_shares import measure_together, together_shares
from understudy.privacy._unit import ONE_ROW, Bounding, PrivacyUnit
from understudy.privacy._values import Candidate, Charge, Factors, Measurement, NoiseLevel, Score, ScoreWithValues

ADD_REMOVE = Neighbours.ADD_REMOVE
REPLACE_ONE = Neighbours.REPLACE_ONE

__all__ = [
    "ADD_REMOVE",
    "MOST_PARTS",
    "ONE_ROW",
    "REPLACE_ONE",
    "WEIGHT_PARTS",
    "AboveThreshold",
    "Account",
    "AddNoise",
    "AddTogether",
    "BestCandidate",
    "Booking",
    "Bounding",
    "Budget",
    "Candidate",
    "Charge",
    "ChoiceStep",
    "Counted",
    "Curator",
    "Entry",
    "ExactNoise",
    "Factors",
    "FarthestGuess",
    "FarthestParities",
    "FirstAbove",
    "GDPBudget",
    "InteractionMeasurement",
    "Interactions",
    "Ledger",
    "LedgerFile",
    "LedgerWithReceipts",
    "LinearQueries",
    "MeanStrength",
    "Measurement",
    "Mechanism",
    "MemoryLedger",
    "Neighbours",
    "Noise",
    "NoiseLevel",
    "Noiseless",
    "NoisyAnswers",
    "NoisyCell",
    "NoisyLinear",
    "NoisyParities",
    "NoisyTables",
    "NumberOfRows",
    "OpenDPNoise",
    "Parities",
    "ParitiesTogether",
    "Price",
    "PrivacyTerms",
    "PrivacyUnit",
    "PrivacyWarning",
    "PrivateRows",
    "Protection",
    "PublicFacts",
    "PureBudget",
    "QuantileOfErrors",
    "Question",
    "SQLiteLedger",
    "Score",
    "ScoreWithValues",
    "Sensitivity",
    "Strength",
    "TableStep",
    "TablesTogether",
    "Touch",
    "WorstTable",
    "code_bits",
    "count_parities",
    "distance_moved",
    "epsilon_for",
    "epsilon_of_part",
    "factors_of",
    "interaction_sensitivity",
    "make_budget",
    "make_noise",
    "measure_together",
    "measure_weighted",
    "open_curator",
    "parities_sensitivity",
    "parse_number",
    "read_ledger",
    "row_sensitivity",
    "together_shares",
    "walsh_hadamard",
]
