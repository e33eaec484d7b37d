"""Make the bundled people with duplicates: `python -m scripts.make_people src/understudy/demo`.

Everybody is invented: names are put together from syllables, places and streets from lists below, numbers are drawn.
One entry in five is a duplicate under another spelling. Some people share a home with a relative, who is somebody else.
What is to be published (age group, region, sex, income band, smoking, visits) hangs together; names and numbers are in
no schema, and never published.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from understudy._core.randomness import Rng, streams

SEED, PEOPLE, DUPLICATES, PAIRS = 20_261_116, 3_200, 800, 600
IDENTIFYING = ("given_name", "surname", "birthday", "street", "town", "postcode", "email", "phone", "insurance_id")
PUBLISHABLE = ("age_group", "sex", "region", "income", "smoker", "visits")
AGES = ("under 18", "18 to 34", "35 to 49", "50 to 64", "65 and over")
REGIONS = {
    "north": ("Aldermoor", "Brackwater", "Cawthorp", "Dunmere"),
    "east": ("Elmstow", "Fenbury", "Gosfield", "Harwick"),
    "south": ("Ivelbridge", "Kingsholt", "Langmead", "Merrow"),
    "west": ("Netherby", "Oakhampstead", "Penryth", "Quarne"),
}
INCOMES = ("low", "middle", "high")
STREETS = tuple(
    f"{first} {last}"
    for first in (
        "Abbey",
        "Barn",
        "Canal",
        "Dale",
        "Elder",
        "Ferry",
        "Glebe",
        "Heron",
        "Ivy",
        "Juniper",
        "Kiln",
        "Lark",
    )
    for last in ("Street", "Road", "Lane", "Close", "Avenue", "Row", "Hill", "Green")
)
STARTS, MIDDLES = (
    ("b", "br", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w"),
    "aeiou",
)
ENDS_OF_GIVEN = ("na", "lin", "bert", "rik", "sa", "mir", "ta", "von", "lia", "do", "mon", "ra")
ENDS_OF_FAMILY = ("ton", "well", "man", "ley", "ford", "sen", "ski", "ham", "by", "er", "ard", "ow")
Person = dict[str, Any]


def main(folder: str) -> None:
    """Write the table and the labels."""
    entries = draw_entries()
    names = [*IDENTIFYING, *PUBLISHABLE]
    write(Path(folder, "people.csv.gz"), names, [[person[name] for name in names] for _, person in entries])
    pairs = label(numbers_of_rows(), [person for _, person in entries], streams(SEED).get("labels"))
    write(Path(folder, "people.pairs.csv"), ["row_a", "row_b", "same"], pairs)


def draw_entries() -> list[tuple[int, Person]]:
    """Every row, and the number of the person that it is about."""
    coins = streams(SEED)
    people = draw_people(coins.get("people"))
    rng = coins.get("duplicates")
    entries = list(enumerate(people))
    again = rng.choice(PEOPLE, size=DUPLICATES).tolist()
    entries += [(number, spoilt(people[number], rng)) for number in again]
    return [entries[i] for i in coins.get("order").permutation(len(entries))]


def numbers_of_rows() -> list[int]:
    """Who each row is about: the truth, which is not in the table."""
    return [number for number, _ in draw_entries()]


def draw_people(rng: Rng) -> list[Person]:
    """Everybody, some of them with a relative under the same roof right behind."""
    people: list[Person] = []
    given, family = words(rng, 160, ENDS_OF_GIVEN), words(rng, 700, ENDS_OF_FAMILY)
    while len(people) < PEOPLE:
        person = draw(rng, given, family)
        people.append(person)
        if rng.random() < 0.12 and len(people) < PEOPLE:
            home = {name: person[name] for name in ("surname", "street", "town", "postcode", "region", "phone")}
            people.append({**draw(rng, given, family), **home})
    return people


def words(rng: Rng, count: int, ends: tuple[str, ...]) -> list[str]:
    """Names that sound like names; the first are drawn most often."""
    found: dict[str, None] = {}
    while len(found) < count:
        middle = "".join(pick(rng, STARTS) + pick(rng, MIDDLES) for _ in range(int(rng.integers(1, 3))))
        found[(middle + pick(rng, ends)).capitalize()] = None
    return list(found)


def pick(rng: Rng, values: Any) -> Any:
    """One of these."""
    return values[int(rng.integers(len(values)))]


def often(rng: Rng, values: list[str]) -> str:
    """One of these, early ones more often than late ones."""
    return values[int(len(values) * rng.random() ** 1.7)]


def draw(rng: Rng, given: list[str], family: list[str]) -> Person:
    """Somebody new."""
    group = int(rng.choice(5, p=[0.17, 0.22, 0.22, 0.21, 0.18]))
    low, high = ((2, 17), (18, 34), (35, 49), (50, 64), (65, 92))[group]
    born = date(2026, 1, 1) - timedelta(days=int(rng.integers(low * 366, (high + 1) * 365)))
    region = pick(rng, list(REGIONS))
    town = pick(rng, REGIONS[region])
    income = "low" if group == 0 else INCOMES[min(int(rng.beta(1.3 + 0.5 * group, 2.6) * 3), 2)]
    smoker = group > 0 and rng.random() < (0.32, 0.2, 0.11)[INCOMES.index(income)]
    visits = min(int(rng.poisson((1.4, 1.0, 1.5, 2.6, 4.2)[group] * (1.5 if smoker else 1))), 9)
    first, last = often(rng, given), often(rng, family)
    return {
        "given_name": first,
        "surname": last,
        "birthday": born.isoformat(),
        "street": f"{int(rng.integers(1, 180))} {pick(rng, STREETS)}",
        "town": town,
        "postcode": f"{region[0].upper()}{town[0]}{sum(map(ord, town)) % 40 + 10} {int(rng.integers(1, 10))}",
        "email": f"{first}.{last}@{pick(rng, ('example.org', 'example.com', 'example.net'))}".lower()
        if rng.random() < 0.7
        else "",
        "phone": f"0{int(rng.integers(10**9, 10**10))}" if rng.random() < 0.8 else "",
        "insurance_id": f"{pick(rng, 'ABCDEF')}{int(rng.integers(10**7, 10**8))}" if rng.random() < 0.85 else "",
        "age_group": AGES[group],
        "sex": pick(rng, ("female", "male")),
        "region": region,
        "income": income,
        "smoker": "yes" if smoker else "no",
        "visits": visits,
    }


def spoilt(person: Person, rng: Rng) -> Person:
    """The same person, entered by somebody else at another time."""
    copy = {name: str(person[name]) for name in IDENTIFYING}
    for name in ("given_name", "surname", "street", "town", "email", "phone", "insurance_id", "birthday"):
        if rng.random() < 0.25:
            copy[name] = slip(copy[name], rng)
    for name, share in (("email", 0.35), ("phone", 0.25), ("insurance_id", 0.25), ("birthday", 0.06), ("street", 0.06)):
        if rng.random() < share:
            copy[name] = ""
    if rng.random() < 0.06:
        copy["given_name"], copy["surname"] = copy["surname"], copy["given_name"]
    if rng.random() < 0.1:
        copy["given_name"] = copy["given_name"][:1]
    if rng.random() < 0.08:
        year, month, day = (copy["birthday"] or "0-0-0").split("-")
        copy["birthday"] = f"{year}-{day}-{month}" if year != "0" and int(day) <= 12 else copy["birthday"]
    if rng.random() < 0.08:
        copy["street"] = f"{int(rng.integers(1, 180))} {pick(rng, STREETS)}"
    visits = min(max(int(person["visits"]) + int(rng.integers(-1, 2)), 0), 9)
    return {**person, **copy, "visits": visits}


def slip(text: str, rng: Rng) -> str:
    """One wrong, swapped, missing or doubled letter; in a number another figure."""
    places = [i for i, letter in enumerate(text) if letter.isalnum()]
    if len(places) < 3:
        return text
    i, kind = int(pick(rng, places[1:])), int(rng.integers(4))
    if text[i].isdigit():
        return text[:i] + str(int(rng.integers(10))) + text[i + 1 :]
    if kind == 0:
        return text[:i] + pick(rng, "aeioulnrst") + text[i + 1 :]
    if kind == 1 and i + 1 < len(text):
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    return text[:i] + text[i + 1 :] if kind == 2 else text[:i] + text[i] + text[i:]


def label(numbers: list[int], people: list[Person], rng: Rng) -> list[list[int]]:
    """Some pairs that a clerk looked at: half of them one person, the others namesakes and neighbours."""
    by_person: dict[int, list[int]] = {}
    by_look: dict[Any, list[int]] = {}
    for row, (number, person) in enumerate(zip(numbers, people, strict=True)):
        by_person.setdefault(number, []).append(row)
        by_look.setdefault((person["surname"], person["town"]), []).append(row)
        by_look.setdefault((person["given_name"], person["birthday"][:4]), []).append(row)
    same = [(rows[0], rows[1], 1) for rows in by_person.values() if len(rows) > 1]
    unlike = {
        (rows[0], other, 0) for rows in by_look.values() for other in rows[1:] if numbers[rows[0]] != numbers[other]
    }
    apart = sorted(unlike)
    half = PAIRS // 2
    chosen = [same[i] for i in rng.permutation(len(same))[:half]] + [
        apart[i] for i in rng.permutation(len(apart))[:half]
    ]
    return sorted([min(a, b), max(a, b), tag] for a, b, tag in chosen)


def write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    """A CSV file, the same bytes each time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


if __name__ == "__main__":
    main(sys.argv[1])
