"""Writes and reads by asyncpg; says what it has done, or ends with an error."""

import asyncio

import asyncpg

ROWS = 20


async def fails(error, awaited):
    try:
        await awaited
    except error:
        return
    raise AssertionError("no " + error.__name__)


async def transaction(pool, first):
    async with pool.acquire() as session:
        async with session.transaction(isolation="repeatable_read"):
            await session.executemany(
                "insert into kept (client, id, n) values ('asyncpg', $1, $2)",
                [(first + i, i) for i in range(ROWS)],
            )
            insert = await session.prepare(
                "insert into made (client, name, tags) values ('asyncpg', $1, $2) returning id"
            )
            assert await insert.fetchval("row %d" % first, ["a", "'b"]) > 0
            inner = session.transaction()
            await inner.start()
            await fails(
                asyncpg.UniqueViolationError,
                session.execute("insert into kept (client, id) values ('asyncpg', $1)", first),
            )
            await fails(asyncpg.InFailedSQLTransactionError, session.fetch("select 1"))
            await inner.rollback()
            read = 0
            async for row in session.cursor(
                "select n from kept where client = 'asyncpg' and id between $1 and $2 order by id",
                first,
                first + ROWS - 1,
                prefetch=5,
            ):
                assert row["n"] == read
                read += 1
            assert read == ROWS
        await fails(asyncpg.DivisionByZeroError, undone(session, first))
        assert await session.fetchval("select count(*) from made where name = $1", "row %d" % first) == 1


async def undone(session, first):
    async with session.transaction():
        await session.execute("delete from kept where client = 'asyncpg' and id = $1", first)
        await session.fetchval("select 1 / 0")


async def cancelled(pool):
    async with pool.acquire() as session:
        await fails(asyncio.TimeoutError, session.fetch("select pg_sleep(600)", timeout=0.2))
        assert await session.fetchval("select 1") == 1


async def types(session):
    await session.execute("insert into felt (id, m) values (1, $1)", "happy")
    assert await session.fetchval("select m from felt where id = 1") == "happy"


async def init(session):
    # Where it looks for types itself, asyncpg 0.29 and newer call set_config.
    await session.set_type_codec("mood", schema="public", encoder=str, decoder=str)


async def main():
    async with asyncpg.create_pool(min_size=3, max_size=3, init=init) as pool:
        await asyncio.gather(*(transaction(pool, i * 100) for i in range(10)))
        await cancelled(pool)
        async with pool.acquire() as session:
            await types(session)
            records = [("asyncpg", 10_000 + i, 1) for i in range(100)]
            await session.copy_records_to_table(
                "kept", records=records, columns=["client", "id", "n"]
            )


asyncio.run(main())
print("done")
