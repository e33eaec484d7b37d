"""Invented people with duplicates, from Faker's names and places, to recognise records in. Needs its own Python.

`--settings` holds `rows`, `duplicates` (their share of all rows), and `level`: "hard" for heavy corruption, with
households, twins and namesakes; "plain" for light corruption. Writes a CSV with a column `person`, which is the truth.
"""

from __future__ import annotations

import csv
import datetime

import numpy as np
from _clock import Clock, arguments, write_report
from faker import Faker

COLUMNS = ("given_name", "surname", "birthday", "street", "city", "postcode", "email", "phone", "national_id")
NICKNAMES = {
    "robert": "bob", "william": "bill", "elizabeth": "liz", "margaret": "peggy", "richard": "dick", "james": "jim",
    "john": "jack", "michael": "mike", "jennifer": "jen", "katherine": "kate", "christopher": "chris", "susan": "sue",
    "thomas": "tom", "patricia": "pat", "daniel": "dan", "matthew": "matt", "joseph": "joe", "david": "dave",
    "edward": "ted", "rebecca": "becky", "victoria": "vicky", "samantha": "sam", "benjamin": "ben", "anthony": "tony",
}  # fmt: skip
NEAR = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry",
    "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
# per field of a duplicate: missing, misspelt, replaced by another value, and slips in such a misspelling
LEVELS = {
    "plain": {
        "given_name": (0.02, 0.15, 0.00), "surname": (0.01, 0.15, 0.01), "birthday": (0.03, 0.08, 0.00),
        "street": (0.05, 0.20, 0.05), "city": (0.03, 0.10, 0.04), "postcode": (0.03, 0.06, 0.04),
        "email": (0.15, 0.08, 0.08), "phone": (0.10, 0.08, 0.08), "national_id": (0.10, 0.06, 0.00),
    },
    "hard": {
        "given_name": (0.06, 0.35, 0.03), "surname": (0.03, 0.35, 0.08), "birthday": (0.15, 0.25, 0.02),
        "street": (0.15, 0.35, 0.25), "city": (0.12, 0.25, 0.18), "postcode": (0.15, 0.20, 0.20),
        "email": (0.45, 0.20, 0.25), "phone": (0.40, 0.20, 0.25), "national_id": (0.55, 0.20, 0.02),
    },
}  # fmt: skip
SLIPS = {"plain": (1, 1), "hard": (1, 3)}
Person = dict[str, str]


class Maker:
    """Draws people and spoils copies of them."""

    def __init__(self, seed: int, level: str) -> None:
        Faker.seed(seed)
        fake = Faker("en_US")
        self.rng, self.level = np.random.default_rng(seed), level
        self.given = [fake.first_name().lower() for _ in range(4000)]
        self.family = [fake.last_name().lower() for _ in range(6000)]
        self.streets = [fake.street_name().lower() for _ in range(5000)]
        self.places = [(fake.city().lower(), fake.postcode()) for _ in range(1500)]
        self.domains = ["gmail.com", "yahoo.com", "hotmail.com", *(fake.free_email_domain() for _ in range(20))]

    def pick(self, values: list) -> object:
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def home(self) -> Person:
        city, postcode = self.pick(self.places)
        return {
            "street": f"{int(self.rng.integers(1, 400))} {self.pick(self.streets)}",
            "city": city,
            "postcode": postcode,
        }

    def birthday(self, low: int = 1930, high: int = 2008) -> str:
        first = datetime.date(low, 1, 1).toordinal()
        return datetime.date.fromordinal(
            int(self.rng.integers(first, datetime.date(high, 12, 31).toordinal()))
        ).isoformat()

    def contact(self, person: Person) -> Person:
        given, family = person["given_name"], person["surname"]
        forms = [
            f"{given}.{family}",
            f"{given[0]}{family}",
            f"{given}{int(self.rng.integers(10, 99))}",
            f"{family}{given[0]}{int(self.rng.integers(1, 99))}",
        ]
        return {
            "email": f"{self.pick(forms)}@{self.pick(self.domains)}",
            "phone": "".join(str(d) for d in self.rng.integers(0, 10, 10)),
            "national_id": "".join(str(d) for d in self.rng.integers(0, 10, 9)),
        }

    def person(self) -> Person:
        found = {
            "given_name": self.pick(self.given),
            "surname": self.pick(self.family),
            "birthday": self.birthday(),
            **self.home(),
        }
        return {**found, **self.contact(found)}

    def relative(self, other: Person) -> Person:
        """Somebody of the same household: a twin, a namesake of another age, a spouse or a child."""
        found = {**other, "given_name": self.pick(self.given), "birthday": self.birthday()}
        kind = self.rng.random()
        if kind < 0.04:
            found["birthday"] = other["birthday"]
        elif kind < 0.12:
            found["given_name"] = other["given_name"]
        found = {**found, **self.contact(found)}
        if self.chance(0.5):
            found["phone"] = other["phone"]
        return found

    def spoilt(self, person: Person) -> Person:
        """A copy as somebody else would have entered it."""
        other, found = self.person(), {}
        moved, shares = None, LEVELS[self.level]
        for name in COLUMNS:
            missing, misspelt, replaced = shares[name]
            value = person[name]
            if name in ("street", "city", "postcode"):
                moved = self.chance(replaced) if moved is None else moved
                value = other[name] if moved else value
            elif self.chance(replaced):
                value = other[name]
            if self.chance(misspelt):
                value = self.misspelt(name, value)
            found[name] = "" if self.chance(missing) else value
        heavy = self.level == "hard"
        if heavy and self.chance(0.15):
            found["given_name"] = NICKNAMES.get(found["given_name"], found["given_name"][:1])
        if heavy and self.chance(0.06):
            found["given_name"], found["surname"] = found["surname"], found["given_name"]
        if heavy and len(found["birthday"]) == 10 and self.chance(0.06):
            year, month, day = found["birthday"].split("-")
            found["birthday"] = f"{year}-{day}-{month}"
        return found

    def misspelt(self, name: str, text: str) -> str:
        low, high = SLIPS[self.level]
        for _ in range(int(self.rng.integers(low, high + 1)) if name != "birthday" else 1):
            text = self.slip(text, digits=name in ("birthday", "phone", "national_id", "postcode"))
        return text

    def slip(self, text: str, *, digits: bool) -> str:
        places = [i for i, letter in enumerate(text) if letter.isalnum()]
        if len(places) < 2:
            return text
        i = int(self.pick(places))
        kind = self.rng.random()
        fresh = (
            str(int(self.rng.integers(10)))
            if digits or text[i].isdigit()
            else str(self.pick(list(NEAR.get(text[i], "aeiou"))))
        )
        if kind < 0.4:
            return text[:i] + fresh + text[i + 1 :]
        if kind < 0.6 and i + 1 < len(text):
            return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
        if kind < 0.8 and not digits:
            return text[:i] + text[i + 1 :]
        return text[:i] + fresh + (text[i + 1 :] if digits else text[i:])


def table(rows: int, duplicates: float, level: str, seed: int) -> list[list[object]]:
    maker = Maker(seed, level)
    wanted = round(rows * (1 - duplicates))
    people: list[Person] = []
    while len(people) < wanted:
        related = level == "hard" and people and maker.chance(0.2)
        people.append(maker.relative(people[-1]) if related else maker.person())
    entered: list[tuple[int, Person]] = []
    for number, person in enumerate(people):
        # first entries lack things, too
        lacks = {
            name: "" for name in ("email", "phone", "national_id") if maker.chance(0.25 if level == "hard" else 0.05)
        }
        entered.append((number, {**person, **lacks}))
    while len(entered) < rows:
        number = int(maker.rng.integers(wanted))
        times = 1 if maker.chance(0.7) else 2
        entered += [(number, maker.spoilt(people[number])) for _ in range(times)]
    shuffled = maker.rng.permutation(rows)
    return [[entered[i][0], *(entered[i][1][name] for name in COLUMNS)] for i in shuffled]


def main() -> None:
    options = arguments()
    clock = Clock()
    with clock.phase("sample"):
        rows = table(options.rows, options.settings["duplicates"], options.settings["level"], options.seed)
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["person", *COLUMNS])
            writer.writerows(rows)
    write_report(options.report, package="faker", clock=clock, privacy="none: invented people")


if __name__ == "__main__":
    main()
