/*
 * Reads statements, each ended by a zero byte, and writes of each what PostgreSQL's parser makes of
 * it, as JSON, or nothing where it is an error, each ended by a zero byte. cc parse-trees.c -lpg_query
 */
#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>

int
main(void)
{
	char *statement = NULL;
	size_t size = 0;

	while (getdelim(&statement, &size, 0, stdin) > 0)
	{
		PgQueryParseResult parsed = pg_query_parse(statement);

		if (parsed.error == NULL)
			fputs(parsed.parse_tree, stdout);
		putchar(0);
		pg_query_free_parse_result(parsed);
	}
	free(statement);
	return 0;
}
