"""The frozen values that cross module borders. No torch here: reading results must stay light."""

from babelscope.types.consistency import TranslationPair, UnitScores
from babelscope.types.explanations import Aim, Attribution, Explained, Target
from babelscope.types.heads import StoredHeadStatistics
from babelscope.types.inputs import (
    Candidate,
    Encoded,
    Example,
    ModelInput,
    Span,
    TokenlessWord,
    Window,
)
from babelscope.types.measures import FEW_GROUPS, Estimate, Failure, Measure, Measured, StoredPanel
from babelscope.types.skipped import SkippedRow
from babelscope.types.tokenization import DoseOutcome, Segmentation, TokenizedText
from babelscope.types.tradeoffs import (
    CorpusText,
    FineTuning,
    LanguageLoss,
    Reading,
    TextStates,
    WeightDrift,
)

__all__ = [
    "FEW_GROUPS",
    "Aim",
    "Attribution",
    "Candidate",
    "CorpusText",
    "DoseOutcome",
    "Encoded",
    "Estimate",
    "Example",
    "Explained",
    "Failure",
    "FineTuning",
    "LanguageLoss",
    "Measure",
    "Measured",
    "ModelInput",
    "Reading",
    "Segmentation",
    "SkippedRow",
    "Span",
    "StoredHeadStatistics",
    "StoredPanel",
    "Target",
    "TextStates",
    "TokenizedText",
    "TokenlessWord",
    "TranslationPair",
    "UnitScores",
    "WeightDrift",
    "Window",
]
