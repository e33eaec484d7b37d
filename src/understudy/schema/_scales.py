"""Scales that everybody knows, from their lower end to their upper one. Words of one place mean the same there."""

from __future__ import annotations

_SCALES = """
months: january jan janvier januar enero | february feb fevrier februar febrero | march mar mars marz maerz marzo
    | april apr avril abril | may mai mayo | june jun juin juni junio | july jul juillet juli julio
    | august aug aout agosto | september sep sept septembre septiembre | october oct octobre oktober octubre
    | november nov novembre noviembre | december dec decembre dezember diciembre
weekdays: monday mon mo | tuesday tue tues tu | wednesday wed weds we | thursday thu thur thurs th | friday fri fr
    | saturday sat sa | sunday sun su
seasons: spring | summer | autumn fall | winter
sizes: xxxs 3xs | xxs 2xs | xs extra_small x_small very_small tiny | s small | m medium med | l large big
    | xl extra_large x_large very_large huge | xxl 2xl xx_large | xxxl 3xl | 4xl xxxxl | 5xl
levels: none no zero | negligible | very_low lowest | low lower | low_medium medium_low lower_middle
    | medium moderate middle mid med average normal intermediate | medium_high high_medium upper_middle
    | high higher upper | very_high highest | extreme extremely_high critical
degrees of severity: none no | minimal | mild slight minor | moderate medium | severe serious major | critical fatal
answers from disagree to agree: strongly_disagree completely_disagree totally_disagree | disagree tend_to_disagree
    | somewhat_disagree slightly_disagree rather_disagree | neutral neither undecided neither_agree_nor_disagree
    | somewhat_agree slightly_agree rather_agree | agree tend_to_agree
    | strongly_agree completely_agree totally_agree
answers from dissatisfied to satisfied: very_dissatisfied very_unsatisfied | dissatisfied unsatisfied
    | somewhat_dissatisfied | neutral neither neither_satisfied_nor_dissatisfied | somewhat_satisfied | satisfied
    | very_satisfied
answers from never to always: never | almost_never hardly_ever very_rarely | rarely seldom | occasionally
    | sometimes | often frequently | usually | very_often almost_always | always
how often: never | yearly annually | quarterly | monthly | weekly | daily | hourly
grades of quality: very_poor very_bad terrible | poor bad | fair average acceptable | good | very_good | excellent
clarities: i3 | i2 | i1 | si2 | si1 | vs2 | vs1 | vvs2 | vvs1 | if | fl
cuts: fair | good | very_good | premium | ideal
answers from not at all to extremely: not_at_all | a_little slightly | somewhat moderately | very quite_a_bit
    | extremely
how likely: very_unlikely | unlikely | neutral neither | likely | very_likely
worse to better: much_worse | worse | same unchanged no_change the_same | better | much_better
places in a row: first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth
metals: bronze | silver | gold | platinum | diamond
ranks at work: intern trainee | junior entry entry_level | mid mid_level intermediate regular | senior | lead
    | principal | executive
ages of life: newborn | infant baby | toddler | child | teenager teen adolescent | young_adult | adult
    | middle_aged | senior elderly
degrees of education: none no_schooling no_education illiterate | preschool kindergarten | 1st_4th | 5th_6th
    | 7th_8th | primary elementary primary_school elementary_school basic basic_4y | basic_6y
    | basic_9y middle_school lower_secondary junior_high | 9th | 10th | 11th | 12th some_high_school
    | secondary high_school hs_grad upper_secondary secondary_school high_school_graduate hs high_school_diploma
    | some_college | vocational professional_course assoc_voc post_secondary
    | assoc_acdm associate associates associate_s associate_degree associates_degree associate_s_degree
    | tertiary college university higher_education university_degree bachelor bachelors bachelor_s bachelor_degree
      bachelors_degree bachelor_s_degree undergraduate
    | master masters master_s master_degree masters_degree master_s_degree graduate postgraduate
    | prof_school professional professional_degree | doctorate phd doctoral doctor doctorate_degree
"""


def word_set(words: str) -> frozenset[str]:
    """Words written one after the other, as a set.

    >>> sorted(word_set("zip icd"))
    ['icd', 'zip']
    """
    return frozenset(words.split())


def _places(scale: str) -> dict[str, int]:
    return {word: place for place, words in enumerate(scale.split("|")) for word in words.split()}


def _read(text: str) -> tuple[tuple[str, dict[str, int]], ...]:
    lines = text.replace("\n    ", " ").strip().splitlines()
    named = (line.partition(": ") for line in lines)
    return tuple((what, _places(scale)) for what, _, scale in named)


PLACES = _read(_SCALES)
"""Each scale's name, and the place of each of its words in lower case, joined by underscores."""
