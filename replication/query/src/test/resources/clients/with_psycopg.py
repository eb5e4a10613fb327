"""Writes and reads by psycopg 3; says what it has done, or ends with an error."""

import psycopg
from psycopg.types.json import Jsonb

ROWS = 20


def fails(error, run):
    try:
        run()
    except error:
        return
    raise AssertionError("no " + error.__name__)


def transaction(session, first):
    with session.transaction():
        with session.cursor() as cursor:
            cursor.executemany(
                "insert into kept (client, id, n) values ('psycopg', %s, %s)",
                [(first + i, i) for i in range(ROWS)],
            )
            made = cursor.execute(
                "insert into made (client, name, tags, doc) values ('psycopg', %s, %s, %s) returning id",
                ("row %d" % first, ["a", "'b"], Jsonb({"a": [1]})),
            )
            assert made.fetchone()[0] > 0
        fails(psycopg.errors.UniqueViolation, lambda: again(session, first))
        with session.cursor(name="parts") as cursor:
            cursor.itersize = 5
            cursor.execute(
                "select n from kept where client = 'psycopg' and id between %s and %s order by id",
                (first, first + ROWS - 1),
            )
            assert [row[0] for row in cursor] == list(range(ROWS))
    fails(psycopg.errors.DivisionByZero, lambda: undone(session, first))


def again(session, first):
    with session.transaction():
        session.execute("insert into kept (client, id) values ('psycopg', %s)", (first,))


def undone(session, first):
    with session.transaction():
        session.execute("delete from kept where client = 'psycopg' and id = %s", (first,))
        session.execute("select 1 / 0")


def pipelined(session):
    with session.pipeline() as pipeline:
        for i in range(500):
            session.execute(
                "insert into kept (client, id) values ('psycopg', %s)", (20_000 + i,)
            )
            if i == 250:
                pipeline.sync()
        rows = session.execute("select count(*) from kept where client = 'psycopg' and id >= 20000")
        assert rows.fetchone()[0] == 500


def copied(session):
    with session.transaction(), session.cursor() as cursor:
        with cursor.copy("copy kept (client, id, n) from stdin") as copy:
            for i in range(100):
                copy.write_row(("psycopg", 10_000 + i, 1))
        with cursor.copy("copy kept (id) to stdout") as copy:
            assert sum(1 for row in copy.rows()) > 100


def main():
    with psycopg.connect(autocommit=True) as session:
        for i in range(10):
            transaction(session, i * 100)
        pipelined(session)
        copied(session)
        session.execute("insert into felt (id, m) values (2, %s)", ("sad",))
        assert session.execute("select m from felt where id = 2").fetchone()[0] == "sad"
    with psycopg.connect(prepare_threshold=0) as session:
        for n in range(200):  # more than are kept prepared
            session.execute("select %d from kept where client = %%s" % n, ("psycopg",))
        session.rollback()
        session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        session.read_only = True
        fails(
            psycopg.errors.ReadOnlySqlTransaction,
            lambda: session.execute("delete from kept where client = 'psycopg'"),
        )
        session.rollback()


main()
print("done")
