"""What Impala's own tests state of the tables of its test data: a projection, a filter, a snapshot, and the rows."""
import json
import re

from judge import Outcome
from plain_tables import REFUSED_RIGHTLY, UNUSABLE, path_maps
from rows import difference, plain_moments

COLUMNS = re.compile(r"[\w.]+(, ?[\w.]+)*")
# Impala's words for ours.
SELECT = {"file__position": "_pos", "input__file__name": "_file"}
VIRTUAL = re.compile(r"iceberg__|partition__spec__id|_file_row_id|_file_last_updated", re.I)
WHERE = [(re.compile(r'"([^"]*)"'), r"'\1'"), (re.compile(r"to_timestamp\('([^']*)','[^']*'\)"), r"'\1'")]


class ImpalaQueries:
    def __init__(self, judge, folder):
        self.judge, self.folder, self.source = judge, folder, folder.name
        self.answers = {}
        for file in (folder / "expected").glob("*.json"):
            answer = json.loads(file.read_text())
            if "table" in answer:
                self.answers[answer["table"]] = answer

    def run(self, only=None):
        for query in json.loads((self.folder / "expected/stated-queries.json").read_text())["queries"]:
            if not only or only in query["table"]:
                name = f"{query['table']} query {query['select'][:60]} where {query['where']}"
                self.judge.case(self.source, name, lambda: self.check(query))

    def check(self, query):
        select, answer = query["select"].strip(), self.answers[query["table"]]
        if query["table"] in UNUSABLE or query["table"] in REFUSED_RIGHTLY:
            raise Outcome("refused", "a table that is refused")
        if query.get("session") and "UTC" not in str(query["session"]).upper():
            raise Outcome("refused", "query in the time zone of a session")
        counting = select.lower() == "count(*)"
        if query.get("limit") or VIRTUAL.search(f"{select} {query['where']}") or not (
                counting or select == "*" or COLUMNS.fullmatch(select)):
            raise Outcome("refused", "query with functions or columns of Impala")
        columns = "_pos" if counting else ",".join(SELECT.get(name.strip().lower(), name.strip()) for name in select.split(","))
        options = ["--select", columns]
        if query["where"]:
            options += ["--where", self.where(query["where"])]
        if query["snapshot_id"]:
            options += ["--snapshot-id", str(query["snapshot_id"])]
        got = self.scan(answer, options)
        if counting:
            return "" if [[len(got)]] == query["rows"] else f"{query['rows']} wanted, {len(got)} rows got"
        return difference([self.plain(row) for row in query["rows"]], [self.plain(list(row.values())) for row in got])

    def scan(self, answer, options):
        location = self.folder / answer["table"] / "metadata" / answer["latest_metadata"]
        maps = path_maps(self.source, self.folder, answer)
        code, out, message = self.judge.ask("scan", location, "--output", "jsonl", *options, *maps)
        if code == 2:
            raise Outcome("refused", "query in Impala's SQL")
        if code:
            self.judge.refuse(code, message)
        return [json.loads(line) for line in out.split("\n") if line]

    @staticmethod
    def where(sql):
        for pattern, replacement in WHERE:
            sql = pattern.sub(replacement, sql)
        return sql

    @staticmethod
    def plain(row):
        return {str(i): plain_moments(value) for i, value in enumerate(row)}
