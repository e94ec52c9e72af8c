"""The frozen values that cross module borders. No torch here: reading results must stay light."""

from babelscope.types.answers import AnswerExplanation
from babelscope.types.consistency import TranslationPair, UnitScores
from babelscope.types.costs import ExplanationCost
from babelscope.types.explanations import (
    Aim,
    AnyTarget,
    Attribution,
    Explained,
    Goal,
    ScoredUnits,
    Target,
)
from babelscope.types.heads import StoredHeadAblation, StoredHeadStatistics
from babelscope.types.inputs import (
    Candidate,
    Encoded,
    Example,
    ModelInput,
    Span,
    TokenlessWord,
    Units,
    Window,
)
from babelscope.types.measures import FEW_GROUPS, Estimate, Failure, Measure, Measured, StoredPanel
from babelscope.types.prompts import Prompt
from babelscope.types.skipped import SkippedRow
from babelscope.types.surrogates import SurrogateNumber
from babelscope.types.tokenization import DoseOutcome, Segmentation, TokenizedText
from babelscope.types.tradeoffs import (
    CorpusText,
    FineTuning,
    LanguageLoss,
    ProbePrediction,
    Reading,
    TextStates,
    WeightDrift,
)

__all__ = [
    "FEW_GROUPS",
    "Aim",
    "AnswerExplanation",
    "AnyTarget",
    "Attribution",
    "Candidate",
    "CorpusText",
    "DoseOutcome",
    "Encoded",
    "Estimate",
    "Example",
    "Explained",
    "ExplanationCost",
    "Failure",
    "FineTuning",
    "Goal",
    "LanguageLoss",
    "Measure",
    "Measured",
    "ModelInput",
    "ProbePrediction",
    "Prompt",
    "Reading",
    "ScoredUnits",
    "Segmentation",
    "SkippedRow",
    "Span",
    "StoredHeadAblation",
    "StoredHeadStatistics",
    "StoredPanel",
    "SurrogateNumber",
    "Target",
    "TextStates",
    "TokenizedText",
    "TokenlessWord",
    "TranslationPair",
    "UnitScores",
    "Units",
    "WeightDrift",
    "Window",
]
