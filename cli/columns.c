#include "columns.h"

#include <stdlib.h>
#include <string.h>

/* One name of the list at *at, blanks trimmed and quotes taken off; *at is left behind its comma,
 * or NULL at the end. */
static const char *next_column(char **at)
{
    char *read = *at + strspn(*at, " \t");
    char *const name = read;
    char *write = name;
    char *end = name; /* of what may not be trimmed */
    char quote = 0;
    for (; *read && (quote || *read != ','); read++) {
        if (quote ? *read == quote : *read == '"' || *read == '`') {
            quote = quote ? '\0' : *read;
            end = write;
            continue;
        }
        *write++ = *read;
        if (quote || !strchr(" \t", *read))
            end = write;
    }
    *at = *read ? read + 1 : NULL;
    *end = '\0';
    return name;
}

frz_status columns_read(const cli_session *session, cli_columns *out, frz_error **err)
{
    const char *text = session_option(session, "--select");
    if (!text)
        return FRZ_OK;
    out->text = strdup(text);
    out->names = calloc(strlen(text) + 1, sizeof *out->names);
    if (!out->text || !out->names)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    for (char *at = out->text; at;) {
        const char *name = next_column(&at);
        if (!*name)
            return frz_error_raise(err, FRZ_INVALID, "--select has an empty column name");
        out->names[out->count++] = name;
    }
    return FRZ_OK;
}

void columns_clear(cli_columns *columns)
{
    free(columns->text);
    free((void *)columns->names);
    *columns = (cli_columns){0};
}
