"""Language-independent meanings of short news items on six topics."""

from __future__ import annotations

from dataclasses import dataclass

SUBJECTS = {
    "sports": ("coach", "goalkeeper", "runner", "swimmer"),
    "health": ("doctor", "nurse", "surgeon", "pharmacist"),
    "economy": ("banker", "merchant", "investor", "accountant"),
    "science": ("astronomer", "chemist", "biologist", "physicist"),
    "culture": ("painter", "singer", "poet", "actress"),
    "technology": ("programmer", "engineer", "designer", "technician"),
}
"""People by the topic that they are typical of. All are definite singulars."""

DEEDS = {
    "sports": (
        "win_championship",
        "lose_match",
        "train_tournament",
        "celebrate_victory",
        "criticise_referee",
        "break_record",
    ),
    "health": (
        "treat_patients",
        "recommend_medicine",
        "examine_wound",
        "prepare_vaccine",
        "visit_hospital",
        "cure_disease",
    ),
    "economy": (
        "raise_prices",
        "pay_taxes",
        "invest_money",
        "sign_contract",
        "count_profits",
        "buy_shares",
    ),
    "science": (
        "publish_experiment",
        "repeat_measurement",
        "analyse_sample",
        "prove_theory",
        "observe_planet",
        "use_microscope",
    ),
    "culture": (
        "open_exhibition",
        "rehearse_play",
        "record_song",
        "recite_poem",
        "photograph_sculpture",
        "praise_orchestra",
    ),
    "technology": (
        "update_software",
        "repair_computer",
        "test_app",
        "install_program",
        "build_robot",
        "lose_password",
    ),
}
"""What they did, by the topic that the deed belongs to, whoever did it."""

MATTERS = {
    "sports": ("football", "tennis", "athletics", "swimming", "olympics"),
    "health": ("vaccines", "nutrition", "sleep", "diabetes", "flu"),
    "economy": ("taxes", "inflation", "wages", "trade", "banks"),
    "science": ("planets", "physics", "chemistry", "genetics", "fossils"),
    "culture": ("music", "theatre", "poetry", "painting", "cinema"),
    "technology": ("robots", "computers", "internet", "software", "smartphones"),
}
"""What one can speak about."""

TOPICS = tuple(SUBJECTS)
CARRIERS = ("lecture", "article", "programme", "conference", "conversation")
"""What is about something."""
TIMES = (
    "yesterday",
    "last_week",
    "last_month",
    "last_year",
    "monday",
    "friday",
    "spring",
    "summer",
)
PLACES = (
    "madrid",
    "cairo",
    "delhi",
    "beijing",
    "london",
    "istanbul",
    "paris",
    "nairobi",
    "rome",
    "mumbai",
)


@dataclass(frozen=True, slots=True)
class News:
    """One news item. By its frame, with the rationale in brackets:

    deed      Yesterday the coach [won the championship] in Rome.  The coach may be a doctor: the
      deed decides.
    speech    Yesterday the doctor spoke about [football] in Rome.
    not_but   Yesterday the lecture was [not] about *taxes* [but] about [football].
    although  [Although] the programme began with *taxes*, it was [mainly] about [football].
    instead   [Instead] of *taxes*, the doctor spoke about [football].
    """

    frame: str
    topic: str
    subject: str = ""
    """Who, in the frames deed, speech and instead."""
    deed: str = ""
    matter: str = ""
    distractor: str = ""
    """The matter that does not determine the topic, in the last three frames."""
    carrier: str = ""
    """In the frames not_but and although."""
    time: str = ""
    place: str = ""


FRAMES = ("deed", "speech", "not_but", "although", "instead")
