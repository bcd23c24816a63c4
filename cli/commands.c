#include "command.h"

#include "verbs.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_option cli_global_options[] = {
    {"--catalog", "NAME", false,
     "catalog to use (default: FRAZIL_CATALOG, configuration, \"default\")"},
    {"--warehouse", "URI", false,
     "warehouse of the catalog (default: FRAZIL_WAREHOUSE, ./warehouse)"},
    {"--uri", "URI", false, "address of the catalog, such as sqlite:////abs/catalog.db"},
    {"--config", "FILE", false, "configuration file, in the format of .pyiceberg.yaml"},
    {"--output", "FORMAT", false,
     "table, json, jsonl, csv or, of rows, arrow (scan: also parquet)"},
    {"--json-ids", "string", false, "print 64-bit integers as JSON strings"},
    {"--path-map", "OLD=NEW", true,
     "read files recorded under OLD from NEW; the longest match wins"},
    {"--quiet", NULL, false, "no progress and no messages, only results and errors"},
    {"--help", NULL, false, "show the help of a command"},
};
const size_t cli_global_option_count = COUNT(cli_global_options);

#define SNAPSHOT_OPTIONS                                                                         \
    {"--snapshot-id", "N", false, "read that snapshot"},                                         \
        {"--as-of", "TIME", false,                                                               \
         "read what was current then: ISO 8601 (UTC unless it says otherwise) or milliseconds"}, \
    {                                                                                            \
        "--ref", "NAME", false, "read that branch or tag"                                        \
    }

#define FROM_OPTION                                                                           \
    {                                                                                         \
        "--from", "ID", false, "only rows that were appended after that snapshot (exclusive)" \
    }
#define TO_HELP "with --from: up to that snapshot (default: current)"

/* Of every command that commits a snapshot of rows. */
#define WRITE_OPTIONS                                                             \
    {"--branch", "B", false,                                                      \
     "branch to commit to, as T@B; made when there is none (default main)"},      \
        {"--wap-id", "ID", false,                                                 \
         "stage only: no branch moves until frazil publish T --wap-id ID"},       \
        {"--idempotency-key", "K", false,                                         \
         "commit once: nothing is done when the branch has a commit under K"},    \
    {                                                                             \
        "--snapshot-property", "K=V", true, "extra entry of the snapshot summary" \
    }

#define NO_PRUNING_HELP "read everything and filter rows alone: the same rows, to check statistics"

#define NAME_MAPPING_HELP \
    "JSON name mapping for data files without field ids, instead of schema.name-mapping.default"

static const cli_option batch_options[] = {
    {"--per-table", NULL, false,
     "several tables: a transaction for each, committed one after the other"},
    {"--dry-run", NULL, false, "run all statements and commit nothing"},
};

/* How files of rows are read. */
#define INPUT_OPTIONS                                                                          \
    {"--format", "FORMAT", false,                                                              \
     "parquet, avro, arrow, csv or jsonl (default: by file name, else by the first bytes)"},   \
        {"--ignore-case", NULL, false, "names of columns match whatever their case"},          \
        {"--delimiter", "C", false, "of CSV fields, \\t for a tab (default ,)"},               \
        {"--quote", "C", false, "of CSV fields (default \")"},                                 \
        {"--no-header", NULL, false, "CSV columns go by their place"},                         \
        {"--null", "TEXT", true, "unquoted CSV field that is null (default: the empty one)"},  \
        {"--date-format", "F", false, "of CSV dates, such as %d/%m/%Y (default YYYY-MM-DD)"},  \
    {                                                                                          \
        "--timestamp-format", "F", false, "of CSV timestamps, such as \"%F %H:%M\" (ISO 8601)" \
    }

static const cli_option create_options[] = {
    {"--schema", "DDL", false, "columns: 'id long not null, price decimal(9,2) default 0'"},
    {"--partition", "TERMS", false, "partition terms: 'day(ts), bucket(16, id) as shard'"},
    {"--sort", "TERMS", false, "sort order: 'ts asc nulls first, id desc'"},
    {"--property", "K=V", true, "table property"},
    {"--format-version", "N", false, "1, 2 or 3 (default 3)"},
    {"--location", "URI", false, "where the table's files go"},
    {"--from", "FILE", false,
     "columns as a file has them; of CSV and JSON lines, as their values show"},
    {"--with-rows", NULL, false, "with --from: the rows of the file too, by the same commit"},
    {"--from-table", "T", false, "columns and rows of another table, or of T@REF"},
    {"--where", "E", false, "with --from-table: rows that match"},
    {"--select", "COLUMNS", false, "with --from-table: columns, nested by dots"},
    {"--sample-rows", "N", false, "with --from: tell types by the first N rows (default: all)"},
    INPUT_OPTIONS,
};
static const cli_option namespace_options[] = {
    {"--property", "K=V", true, "namespace property"},
};
static const cli_option drop_options[] = {
    {"--purge", NULL, false, "also remove every file that the table's metadata names"},
    {"--yes", NULL, false, "do not ask"},
};
/* Of every command that writes rows to new files. */
#define FILE_OPTIONS                                                                           \
    {"--max-open-files", "N", false,                                                           \
     "partitions that are written side by side; rows of more are sorted first (default 100)"}, \
    {                                                                                          \
        "--sort-memory", "MIB", false,                                                         \
            "of rows in memory while they are sorted, by the table's sort order or by "        \
            "partition; the rest waits in files in TMPDIR (default 128, at most 2048)"         \
    }

static const cli_option add_files_options[] = {
    {"--partition", "NAME=VALUE", true,
     "partition of all the files, where no folder NAME=VALUE tells"},
    {"--name-mapping", NULL, false,
     "take files without field ids by the names of their columns; sets the table's name mapping"},
    {"--skip-live", NULL, false, "pass over files that the table has already"},
    WRITE_OPTIONS,
};
static const cli_option append_options[] = {
    {"--evolve", NULL, false,
     "columns of the files that the table lacks become optional ones of it"},
    {"--sample-rows", "N", false,
     "with --evolve: tell types in CSV and JSON lines by the first N rows (default: all)"},
    INPUT_OPTIONS,
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
static const cli_option scan_options[] = {
    {"--where", "E", false, "filter, such as \"status = 'PAID' and amount > 35\""},
    {"--select", "COLUMNS", false,
     "columns, nested by dots; * is all; metadata columns such as _row_id, _file, _pos"},
    SNAPSHOT_OPTIONS,
    FROM_OPTION,
    {"--limit", "N", false, "at most N rows"},
    {"--no-pruning", NULL, false, NO_PRUNING_HELP},
    {"--name-mapping", "FILE", false, NAME_MAPPING_HELP},
    {"--to", "FILE|ID", false,
     "write there instead of standard output, in the format of its name (.parquet, .arrow, "
     ".arrows, "
     ".csv, .json, .jsonl) or of --output; " TO_HELP},
    {"--threads", "N", false, "threads for planning and for decoding Avro files"},
};
static const cli_option count_options[] = {
    {"--where", "E", false, "filter"},
    SNAPSHOT_OPTIONS,
    FROM_OPTION,
    {"--to", "ID", false, TO_HELP},
    {"--no-pruning", NULL, false, NO_PRUNING_HELP},
    {"--name-mapping", "FILE", false, NAME_MAPPING_HELP},
};
static const cli_option delete_options[] = {
    {"--where", "E", false, "rows to delete; required"},
    {"--mode", "MODE", false,
     "merge-on-read or copy-on-write (default: the table's write.delete.mode)"},
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
static const cli_option update_options[] = {
    {"--set", "LIST", false, "assignments: 'a = formula, b.c = formula, d = DEFAULT'; required"},
    {"--where", "E", false, "rows to update (default: all)"},
    {"--mode", "MODE", false,
     "merge-on-read or copy-on-write (default: the table's write.update.mode)"},
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
static const cli_option truncate_options[] = {
    WRITE_OPTIONS,
};
static const cli_option overwrite_options[] = {
    {"--where", "E", false, "rows that go; the new ones must match it too"},
    {"--dynamic", NULL, false, "the partitions of the input go, under the table's default spec"},
    INPUT_OPTIONS,
    {"--mode", "MODE", false,
     "merge-on-read or copy-on-write, of files that hold other rows as well (default: the table's "
     "write.delete.mode)"},
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
#define MERGE_OPTIONS                                                                       \
    {"--on", "KEY,...", false,                                                              \
     "columns that must be equal; a null equals nothing (default: the identifier fields)"}, \
        INPUT_OPTIONS,                                                                      \
        {"--mode", "MODE", false,                                                           \
         "merge-on-read or copy-on-write (default: the table's write.merge.mode)"},         \
    {                                                                                       \
        "--memory-limit", "MIB", false,                                                     \
            "of the input in memory; the rest waits in files in TMPDIR (default 256)"       \
    }

static const cli_option merge_options[] = {
    {"--when-matched", "update|delete", true, "what happens to rows whose key the file has"},
    {"--and", "E", true, "condition of the --when-matched before it; source.NAME is of the file"},
    {"--set", "LIST", true,
     "assignments of the --when-matched update before it (default: every column of the file)"},
    {"--when-not-matched", "insert", false, "rows of the file whose key the table has not"},
    {"--when-not-matched-by-source", "delete", false,
     "rows of the table whose key the file has not"},
    {"--source-name", "NAME", false,
     "what conditions and assignments call the file (default source)"},
    MERGE_OPTIONS,
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
static const cli_option upsert_options[] = {
    MERGE_OPTIONS,
    {"--equality-deletes", NULL, false, "do not read the table: old rows go by key"},
    {"--all-partitions", NULL, false,
     "with --equality-deletes: also rows of other partitions than the new ones"},
    FILE_OPTIONS,
    WRITE_OPTIONS,
};
static const cli_option plan_options[] = {
    {"--where", "E", false, "filter"},
    {"--select", "COLUMNS", false, "columns that would be read"},
    SNAPSHOT_OPTIONS,
    FROM_OPTION,
    {"--to", "ID", false, TO_HELP},
    {"--no-pruning", NULL, false, NO_PRUNING_HELP},
    {"--name-mapping", "FILE", false, NAME_MAPPING_HELP},
    {"--threads", "N", false, "threads for planning"},
};
static const cli_option alter_options[] = {
    {"--first", NULL, false, "the column stands first in its struct"},
    {"--after", "C", false, "the column stands behind that one"},
    {"--optional", NULL, false, "update: the column takes nulls from now on"},
    {"--default", "L", false, "default: of a new column for all rows, else for new rows alone"},
    {"--comment", "C", false, "comment of the column; an empty one removes it"},
};
static const cli_option upgrade_options[] = {
    {"--to", "N", false, "format version: 2 or 3"},
    {"--dry-run", NULL, false, "print the audit and change nothing"},
};
#define REF_OPTIONS                                                                     \
    {"--snapshot-id", "N", false, "snapshot it names (default: the current one)"},      \
    {                                                                                   \
        "--retain", "D", false, "it ends when its snapshot is older than this: 7d, 12h" \
    }
#define REPLACE_DETAILS                                                                          \
    "Without --snapshot-id it moves to the current snapshot, or stays where only retention is\n" \
    "given."
static const cli_option branch_options[] = {
    REF_OPTIONS,
    {"--min-snapshots", "N", false, "snapshots that expiring keeps on it at least"},
    {"--max-snapshot-age", "D", false, "snapshots younger than this are kept on it"},
};
static const cli_option tag_options[] = {
    REF_OPTIONS,
};
static const cli_option rollback_options[] = {
    {"--snapshot-id", "N", false, "ancestor of the current snapshot to go back to"},
    {"--to", "TIME", false,
     "the last ancestor before that time: ISO 8601 (UTC unless it says otherwise) or milliseconds"},
};
static const cli_option set_current_options[] = {
    {"--snapshot-id", "N", false, "any snapshot of the table"},
    {"--ref", "R", false, "the snapshot of that branch or tag"},
};
static const cli_option cherry_pick_options[] = {
    {"--snapshot-id", "N", false, "snapshot whose change is made again"},
    {"--branch", "B", false, "branch to commit to, as T@B; made when there is none (default main)"},
    {"--snapshot-property", "K=V", true, "extra entry of the snapshot summary"},
};
static const cli_option publish_options[] = {
    {"--wap-id", "ID", false, "id under which the snapshot was staged"},
    {"--branch", "B", false, "branch to commit to, as T@B; made when there is none (default main)"},
    {"--snapshot-property", "K=V", true, "extra entry of the snapshot summary"},
};
static const cli_option ancestors_options[] = {
    SNAPSHOT_OPTIONS,
};
static const cli_option verify_options[] = {
    SNAPSHOT_OPTIONS,
    {"--branch", "B", false, "only the snapshots of that branch, to its first"},
    {"--deep", NULL, false, "also read every data, delete and Puffin file"},
    {"--threads", "N", false, "threads that read files of --deep; the report is the same"},
    {"--strict", NULL, false, "warnings fail as well"},
    {"--limit", "N", false, "at most N findings are shown (default 1000); all are counted"},
};
#define METADATA_OPTIONS                                                     \
    {"--where", "E", false, "filter over the columns of this table"},        \
        {"--select", "COLUMNS", false, "columns, nested by dots; * is all"}, \
    {                                                                        \
        "--limit", "N", false, "at most N rows"                              \
    }

static const cli_option whole_metadata_options[] = {
    METADATA_OPTIONS,
};
static const cli_option metadata_options[] = {
    METADATA_OPTIONS,
    SNAPSHOT_OPTIONS,
};
static const cli_option inspect_options[] = {
    {"--rows", NULL, false, "print the rows as JSON lines instead of the structure"},
    {"--limit", "N", false, "at most N rows"},
};

/* Of a snapshot, or of the whole table. */
#define METADATA_TABLE(name, function, options, summary)                                       \
    {                                                                                          \
        name, "T", 1, 1, summary, NULL, "frazil " name " sales.orders --output json", options, \
            COUNT(options), function                                                           \
    }

const cli_command cli_commands[] = {
    {"create", "NS.TABLE", 1, 1, "create a table",
     "Missing namespaces are made. Types: boolean int long float double decimal(P,S) date time "
     "timestamp\n"
     "timestamptz timestamp_ns timestamptz_ns string uuid fixed(L) binary unknown list<T> "
     "map<K,V>\n"
     "struct<name: T, ...>; SQL's and Spark's names for them are accepted. With rows, the table "
     "appears with\n"
     "them, or not at all.",
     "frazil create sales.orders --schema 'order_id long not null, ts timestamptz' --partition "
     "'day(ts)'",
     create_options, COUNT(create_options), cmd_create_table},
    {"register", "NS.TABLE METADATA", 2, 2, "make a table that is there one of the catalog",
     "METADATA is a metadata.json, or a table's folder (its newest version). Nothing is written "
     "but "
     "the\n"
     "catalog's pointer. A table of that name is never replaced.",
     "frazil register archive.orders warehouse/sales/orders", NULL, 0, cmd_register},
    {"create namespace", "NS", 1, 1, "create a namespace", NULL,
     "frazil create namespace sales --property owner=ada", namespace_options,
     COUNT(namespace_options), cmd_create_namespace},
    {"list", "[NS]", 0, 1, "list namespaces, or the tables of one", NULL, "frazil list sales", NULL,
     0, cmd_list},
    {"describe", "T", 1, 1, "show schema, partitioning, properties and current state of a table",
     NULL, "frazil describe sales.orders", NULL, 0, cmd_describe},
    {"drop table", "NS.TABLE", 1, 1, "remove a table from the catalog",
     "Files stay unless --purge is given; then all files that its metadata names are removed.",
     "frazil drop table sales.orders --purge --yes", drop_options, COUNT(drop_options),
     cmd_drop_table},
    {"drop namespace", "NS", 1, 1, "remove an empty namespace", NULL, "frazil drop namespace sales",
     NULL, 0, cmd_drop_namespace},
    {"rename", "A B", 2, 2, "rename a table", NULL, "frazil rename sales.orders sales.orders_2026",
     NULL, 0, cmd_rename},
    {"alter", "T CHANGE...", 2, -1, "change columns, partitioning, sort order or location",
     "CHANGE is one of:\n"
     "  add column PATH TYPE [not null] [default L] [comment C] [--first | --after C]\n"
     "  add columns from FILE        those that the table lacks, wider types, and nulls where\n"
     "                               they may be in the file\n"
     "  drop column PATH\n"
     "  rename column PATH to NAME\n"
     "  move column PATH (--first | --after C)\n"
     "  update column PATH [TYPE] [--optional] [--default L] [--comment C]\n"
     "  set identifier A,B          '' for none\n"
     "  add partition field TERM [as N]\n"
     "  drop partition field TERM\n"
     "  replace partition field OLD TERM [as N]\n"
     "  set sort 'TERMS'            none for no order\n"
     "  set location URI\n"
     "PATH is dotted: address.zip, items.element.price, tags.value. No file is rewritten.",
     "frazil alter sales.orders add column price 'decimal(9,2)' not null default 0 --after "
     "order_id",
     alter_options, COUNT(alter_options), cmd_alter},
    {"upgrade", "T", 1, 1, "raise the format version of a table, after an audit",
     "Tells what other readers and writers will meet, then commits. There is no way back.",
     "frazil upgrade sales.orders --to 3 --dry-run", upgrade_options, COUNT(upgrade_options),
     cmd_upgrade},
    {"properties get", "T [KEY...]", 1, -1, "show properties of a table", NULL,
     "frazil properties get sales.orders", NULL, 0, cmd_properties_get},
    {"properties set", "T K=V...", 2, -1, "set properties of a table",
     "docs/properties.md tells of each what it does: honoured by writers and commits, refused, or "
     "kept for others.",
     "frazil properties set sales.orders write.delete.mode=copy-on-write", NULL, 0,
     cmd_properties_set},
    {"properties remove", "T KEY...", 2, -1, "remove properties of a table", NULL,
     "frazil properties remove sales.orders write.delete.mode", NULL, 0, cmd_properties_remove},
    {"branch create", "T NAME", 2, 2, "make a branch", NULL,
     "frazil branch create sales.orders audit --retain 7d", branch_options, COUNT(branch_options),
     cmd_branch_create},
    {"branch replace", "T NAME", 2, 2, "move a branch, or change what it retains", REPLACE_DETAILS,
     "frazil branch replace sales.orders audit --snapshot-id 5781947118336215154", branch_options,
     COUNT(branch_options), cmd_branch_replace},
    {"branch drop", "T NAME", 2, 2, "drop a branch", NULL, "frazil branch drop sales.orders trial",
     NULL, 0, cmd_branch_drop},
    {"tag create", "T NAME", 2, 2, "name a snapshot", NULL,
     "frazil tag create sales.orders end-of-2026 --retain 400d", tag_options, COUNT(tag_options),
     cmd_tag_create},
    {"tag replace", "T NAME", 2, 2, "move a tag, or change how long it stays", REPLACE_DETAILS,
     "frazil tag replace sales.orders latest", tag_options, COUNT(tag_options), cmd_tag_replace},
    {"tag drop", "T NAME", 2, 2, "drop a tag", NULL, "frazil tag drop sales.orders latest", NULL, 0,
     cmd_tag_drop},
    {"fast-forward", "T BRANCH TO", 3, 3, "move a branch to a later snapshot of its own line",
     "TO is a branch or tag whose history holds the head of BRANCH; a BRANCH that is not there is "
     "made.",
     "frazil fast-forward sales.orders main audit", NULL, 0, cmd_fast_forward},
    {"rollback", "T", 1, 1, "move main back to one of its ancestors",
     "Files and snapshots stay: set-current goes forth again.",
     "frazil rollback sales.orders --snapshot-id 5781947118336215154", rollback_options,
     COUNT(rollback_options), cmd_rollback},
    {"set-current", "T", 1, 1, "move main to any snapshot of the table", NULL,
     "frazil set-current sales.orders --ref audit", set_current_options, COUNT(set_current_options),
     cmd_set_current},
    {"cherry-pick", "T", 1, 1, "bring the change of another snapshot onto a branch",
     "Appends, and overwrites of whole partitions that nobody wrote to meanwhile, are made again; "
     "a\n"
     "snapshot whose parent the branch is at becomes its head.",
     "frazil cherry-pick sales.orders --snapshot-id 5781947118336215154", cherry_pick_options,
     COUNT(cherry_pick_options), cmd_cherry_pick},
    {"publish", "T", 1, 1, "publish the snapshot that was staged under an id", NULL,
     "frazil publish sales.orders --wap-id load-7", publish_options, COUNT(publish_options),
     cmd_publish},
    {"ancestors", "T", 1, 1, "list a snapshot and its ancestors, newest first", NULL,
     "frazil ancestors sales.orders@audit", ancestors_options, COUNT(ancestors_options),
     cmd_ancestors},
    {"append", "NS.TABLE FILE...", 2, -1, "append the rows of files as one snapshot",
     "Files are Parquet, Avro, Arrow IPC, CSV or JSON lines; their rows are rewritten into the "
     "table's layout.\n"
     "Columns go by name; a column that a file lacks gets its write default.\n"
     "In CSV an unquoted empty field is null, a quoted one is ''. FILE - is standard input.",
     "frazil append sales.orders day1.parquet more.csv", append_options, COUNT(append_options),
     cmd_append},
    {"add-files", "NS.TABLE PATH...", 2, -1, "make existing files data files of a table",
     "PATH is a Parquet or Avro file, or a folder of them. No row is read or written: schema, "
     "partition and\n"
     "metrics come from footers. The partition is that of --partition, of folders NAME=VALUE, or "
     "of\n"
     "statistics that tell one value, and is checked against them.",
     "frazil add-files sales.orders jan2.parquet --name-mapping", add_files_options,
     COUNT(add_files_options), cmd_add_files},
    {"scan", "T", 1, 1, "print the rows of a table",
     "T is a catalog name (ns.table, or ns.table@ref), or the path or URI of a metadata.json or of "
     "a\n"
     "table's folder.",
     "frazil scan sales.orders --where \"status = 'PAID'\" --select order_id,amount,_row_id",
     scan_options, COUNT(scan_options), cmd_scan},
    {"count", "T", 1, 1, "count rows, from metadata alone when that is exact", NULL,
     "frazil count sales.orders --where \"amount > 35\"", count_options, COUNT(count_options),
     cmd_count},
    {"delete", "NS.TABLE", 1, 1, "delete the rows that match a filter",
     "Whole files go by metadata alone. Other rows: deletion vectors (V3), position deletes (V2), "
     "or\n"
     "rewritten files with --mode copy-on-write.",
     "frazil delete sales.orders --where \"order_id = 42\"", delete_options, COUNT(delete_options),
     cmd_delete},
    {"batch", "FILE", 1, 1, "run a script of statements on one table as one transaction",
     "Statements are verbs with their words, without \"frazil\", one a line or separated by ;. "
     "Words "
     "are as in\n"
     "a shell: '...', \"...\", a backslash before one character or the end of a line, # for "
     "comments; nothing\n"
     "is expanded. Each statement sees what those before it did; nobody else sees anything before "
     "the end.\n"
     "One that fails undoes all. FILE - is standard input.",
     "frazil batch load.frz --dry-run", batch_options, COUNT(batch_options), cmd_batch},
    {"update", "NS.TABLE", 1, 1, "set columns of the rows that match a filter",
     "A formula is made of literals, columns, + - * / %, ||, coalesce(...), cast(... as TYPE), "
     "upper(...),\n"
     "lower(...) and size(column), and sees the row as it was. DEFAULT is the column's write "
     "default. What "
     "overflows,\n"
     "or would lose digits, is an error that names the row. Rows keep their _row_id.",
     "frazil update sales.orders --set \"status = 'PAID', amount = amount * 2\" --where \"order_id "
     "= 42\"",
     update_options, COUNT(update_options), cmd_update},
    {"merge", "NS.TABLE FILE", 2, 2, "merge the rows of a file into a table by key",
     "Of several --when-matched the first whose condition is true is taken. A row of the table "
     "that "
     "several\n"
     "rows of the file match is an error that names the key. Rows that are updated keep their "
     "_row_id.",
     "frazil merge sales.orders changes.jsonl --on order_id --when-matched delete --and "
     "\"source.status = 'GONE'\" --when-matched update --when-not-matched insert",
     merge_options, COUNT(merge_options), cmd_merge},
    {"upsert", "NS.TABLE FILE", 2, 2, "update the rows whose key a file has, insert its others",
     "The short form of merge --when-matched update --when-not-matched insert; a key that the file "
     "has twice\n"
     "is an error. With --equality-deletes the table is not read, so that small loads cost little: "
     "the last row\n"
     "of a key stays, rows have new ids, and every scan pays for it until the table is compacted.",
     "frazil upsert sales.orders day2.parquet --on order_id", upsert_options, COUNT(upsert_options),
     cmd_upsert},
    {"overwrite", "NS.TABLE FILE...", 2, -1, "put the rows of files in place of others",
     "With --where, rows that match go, and rows of the files that do not match are refused. With "
     "--dynamic\n"
     "the partitions that the files have rows for are replaced, whatever spec their rows were "
     "written with.",
     "frazil overwrite sales.orders day1.parquet --dynamic", overwrite_options,
     COUNT(overwrite_options), cmd_overwrite},
    {"truncate", "NS.TABLE", 1, 1, "delete every row, by metadata alone", NULL,
     "frazil truncate sales.orders", truncate_options, COUNT(truncate_options), cmd_truncate},
    {"plan", "T", 1, 1, "explain what a scan would read: the funnel, level by level", NULL,
     "frazil plan sales.orders --where \"ts >= '2026-01-02'\"", plan_options, COUNT(plan_options),
     cmd_plan},
    METADATA_TABLE("snapshots", cmd_snapshots, whole_metadata_options,
                   "list the snapshots of a table"),
    METADATA_TABLE("history", cmd_history, whole_metadata_options,
                   "list which snapshot was current when"),
    METADATA_TABLE("refs", cmd_refs, whole_metadata_options, "list branches and tags"),
    METADATA_TABLE("files", cmd_files, metadata_options, "list data and delete files"),
    METADATA_TABLE("data-files", cmd_data_files, metadata_options, "list data files"),
    METADATA_TABLE("delete-files", cmd_delete_files, metadata_options, "list delete files"),
    METADATA_TABLE("manifests", cmd_manifests, metadata_options,
                   "list the manifests of a snapshot"),
    METADATA_TABLE("entries", cmd_entries, metadata_options, "list manifest entries"),
    METADATA_TABLE("partitions", cmd_partitions, metadata_options,
                   "list partitions with their counts"),
    METADATA_TABLE("position-deletes", cmd_position_deletes, metadata_options,
                   "list the rows that position deletes and deletion vectors delete"),
    METADATA_TABLE("metadata-log-entries", cmd_metadata_log_entries, whole_metadata_options,
                   "list the metadata files of a table"),
    METADATA_TABLE("all-files", cmd_all_files, whole_metadata_options,
                   "list the data and delete files of all snapshots"),
    METADATA_TABLE("all-data-files", cmd_all_data_files, whole_metadata_options,
                   "list the data files of all snapshots"),
    METADATA_TABLE("all-delete-files", cmd_all_delete_files, whole_metadata_options,
                   "list the delete files of all snapshots"),
    METADATA_TABLE("all-manifests", cmd_all_manifests, whole_metadata_options,
                   "list the manifests of every snapshot"),
    METADATA_TABLE("all-entries", cmd_all_entries, whole_metadata_options,
                   "list the manifest entries of all snapshots"),
    {"verify", "T", 1, 1, "check a table as fsck checks a disk",
     "Reads the metadata, every manifest list and every manifest of all snapshots, and looks "
     "whether "
     "each file that they name is there. Exit status 0: sound; 7: there are errors.",
     "frazil verify sales.orders --deep --threads 4", verify_options, COUNT(verify_options),
     cmd_verify},
    {"tree", "T", 1, 1, "draw the metadata tree of a table",
     "catalog pointer > metadata.json > manifest list > manifests > files, with counts.",
     "frazil tree sales.orders", NULL, 0, cmd_tree},
    {"inspect", "FILE", 1, 1, "show what is in a metadata.json, Avro, Parquet or Puffin file", NULL,
     "frazil inspect part-0.parquet --rows --limit 10", inspect_options, COUNT(inspect_options),
     cmd_inspect},
    {"completion", "SHELL", 1, 1, "print a completion script for bash, zsh or fish", NULL,
     "frazil completion bash > /etc/bash_completion.d/frazil", NULL, 0, cmd_completion},
    {"man", "", 0, 0, "print the manual page in troff", NULL, "frazil man > frazil.1", NULL, 0,
     cmd_man},
    {"help", "[COMMAND]", 0, 2, "show the commands, or the help of one", NULL, "frazil help create",
     NULL, 0, cmd_help},
};
const size_t cli_command_count = COUNT(cli_commands);
