#include "script.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MAX = 16 << 20 };

typedef struct parser {
    cli_script *script;
    const char *at;
    int line;
    char *word; /* room for the longest that there can be */
    size_t word_size;
    cli_statement *statement; /* the open one; NULL between statements */
    const char *start;        /* of it */
} parser;

static frz_status out_of_memory(frz_error **err)
{
    (void)frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    return FRZ_NO_MEMORY;
}

static frz_status open_statement(parser *self, frz_error **err)
{
    cli_script *script = self->script;
    if (self->statement)
        return FRZ_OK;
    cli_statement *grown =
        realloc(script->statements, (script->count + 1) * sizeof *script->statements);
    if (!grown)
        return out_of_memory(err);
    script->statements = grown;
    self->statement = &grown[script->count++];
    *self->statement = (cli_statement){.line = self->line};
    self->start = self->at;
    return FRZ_OK;
}

static frz_status close_statement(parser *self, frz_error **err)
{
    if (!self->statement)
        return FRZ_OK;
    size_t size = (size_t)(self->at - self->start);
    while (size > 0 && strchr(" \t\r", self->start[size - 1]))
        size--;
    self->statement->text = strndup(self->start, size);
    if (!self->statement->text)
        return out_of_memory(err);
    self->statement = NULL;
    return FRZ_OK;
}

static void take(parser *self)
{
    if (*self->at == '\n')
        self->line++;
    self->word[self->word_size++] = *self->at++;
}

static frz_status read_quoted(parser *self, frz_error **err)
{
    const char quote = *self->at++;
    const int line = self->line;
    while (*self->at && *self->at != quote) {
        if (quote == '"' && *self->at == '\\' && (self->at[1] == '"' || self->at[1] == '\\'))
            self->at++;
        take(self);
    }
    if (!*self->at)
        return frz_error_raise(err, FRZ_INVALID, "%s:%d: the quote %c is not closed",
                               self->script->name, line, quote);
    self->at++;
    return FRZ_OK;
}

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n;", c) != NULL;
}

static frz_status add_word(parser *self, frz_error **err)
{
    cli_statement *statement = self->statement;
    char **grown =
        realloc(statement->words, (statement->word_count + 1) * sizeof *statement->words);
    if (!grown)
        return out_of_memory(err);
    statement->words = grown;
    grown[statement->word_count] = strndup(self->word, self->word_size);
    if (!grown[statement->word_count])
        return out_of_memory(err);
    statement->word_count++;
    return FRZ_OK;
}

static bool continues(const char *at)
{
    return at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'));
}

static void skip_line_end(parser *self)
{
    self->at = strchr(self->at, '\n') + 1;
    self->line++;
}

static frz_status read_word(parser *self, frz_error **err)
{
    frz_status status = open_statement(self, err);
    self->word_size = 0;
    while (status == FRZ_OK && !ends_word(*self->at)) {
        if (*self->at == '\'' || *self->at == '"') {
            status = read_quoted(self, err);
        } else if (continues(self->at)) {
            skip_line_end(self);
        } else {
            if (*self->at == '\\' && self->at[1])
                self->at++;
            take(self);
        }
    }
    return status == FRZ_OK ? add_word(self, err) : status;
}

static frz_status parse(parser *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    while (status == FRZ_OK && *self->at) {
        const char c = *self->at;
        if (c == '\n' || c == ';') {
            status = close_statement(self, err);
            self->line += c == '\n';
            self->at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            self->at++;
        } else if (continues(self->at)) {
            skip_line_end(self);
        } else if (c == '#') {
            status = close_statement(self, err);
            self->at += strcspn(self->at, "\n");
        } else {
            status = read_word(self, err);
        }
    }
    return status == FRZ_OK ? close_statement(self, err) : status;
}

static frz_status read_text(FILE *file, const char *name, char **out, frz_error **err)
{
    char *text = malloc(SCRIPT_MAX + 1);
    if (!text)
        return out_of_memory(err);
    const size_t size = fread(text, 1, SCRIPT_MAX + 1, file);
    const bool failed = ferror(file) != 0;
    if (failed)
        (void)frz_error_raise(err, FRZ_IO, "read %s: %s", name, strerror(errno));
    else if (size > SCRIPT_MAX)
        (void)frz_error_raise(err, FRZ_INVALID, "read %s: longer than 16 MiB", name);
    else if (memchr(text, '\0', size))
        (void)frz_error_raise(err, FRZ_INVALID, "%s holds a zero byte", name);
    if (failed || size > SCRIPT_MAX || memchr(text, '\0', size)) {
        free(text);
        return failed ? FRZ_IO : FRZ_INVALID;
    }
    text[size] = '\0';
    *out = text;
    return FRZ_OK;
}

static frz_status parse_text(const char *text, cli_script *out, frz_error **err)
{
    parser self = {.script = out, .at = text, .line = 1};
    self.word = malloc(strlen(text) + 1);
    if (!self.word)
        return out_of_memory(err);
    const frz_status status = parse(&self, err);
    free(self.word);
    return status;
}

frz_status script_read(const char *path, cli_script *out, frz_error **err)
{
    char *text = NULL;
    const bool standard = strcmp(path, "-") == 0;
    *out = (cli_script){.name = standard ? "standard input" : path};
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return frz_error_raise(err, errno == ENOENT ? FRZ_NOT_FOUND : FRZ_IO, "open %s: %s", path,
                               strerror(errno));
    frz_status status = read_text(file, out->name, &text, err);
    if (!standard)
        (void)fclose(file);
    if (status == FRZ_OK)
        status = parse_text(text, out, err);
    free(text);
    return status;
}

void script_free(cli_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        for (size_t j = 0; j < script->statements[i].word_count; j++)
            free(script->statements[i].words[j]);
        free(script->statements[i].words);
        free(script->statements[i].text);
    }
    free(script->statements);
    *script = (cli_script){0};
}
