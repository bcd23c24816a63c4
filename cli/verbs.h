/*
 * What each command runs; the rows of cli/commands.c point here.
 */
#ifndef FRAZIL_CLI_VERBS_H
#define FRAZIL_CLI_VERBS_H

#include "command.h"

frz_status cmd_create_table(cli_session *session, frz_error **err);
frz_status cmd_register(cli_session *session, frz_error **err);
frz_status cmd_create_namespace(cli_session *session, frz_error **err);
frz_status cmd_list(cli_session *session, frz_error **err);
frz_status cmd_describe(cli_session *session, frz_error **err);
frz_status cmd_drop_table(cli_session *session, frz_error **err);
frz_status cmd_drop_namespace(cli_session *session, frz_error **err);
frz_status cmd_rename(cli_session *session, frz_error **err);
frz_status cmd_alter(cli_session *session, frz_error **err);
frz_status cmd_upgrade(cli_session *session, frz_error **err);
frz_status cmd_properties_get(cli_session *session, frz_error **err);
frz_status cmd_properties_set(cli_session *session, frz_error **err);
frz_status cmd_properties_remove(cli_session *session, frz_error **err);
frz_status cmd_branch_create(cli_session *session, frz_error **err);
frz_status cmd_branch_replace(cli_session *session, frz_error **err);
frz_status cmd_branch_drop(cli_session *session, frz_error **err);
frz_status cmd_tag_create(cli_session *session, frz_error **err);
frz_status cmd_tag_replace(cli_session *session, frz_error **err);
frz_status cmd_tag_drop(cli_session *session, frz_error **err);
frz_status cmd_fast_forward(cli_session *session, frz_error **err);
frz_status cmd_rollback(cli_session *session, frz_error **err);
frz_status cmd_set_current(cli_session *session, frz_error **err);
frz_status cmd_cherry_pick(cli_session *session, frz_error **err);
frz_status cmd_publish(cli_session *session, frz_error **err);
frz_status cmd_ancestors(cli_session *session, frz_error **err);
frz_status cmd_add_files(cli_session *session, frz_error **err);
frz_status cmd_append(cli_session *session, frz_error **err);
frz_status cmd_scan(cli_session *session, frz_error **err);
frz_status cmd_count(cli_session *session, frz_error **err);
frz_status cmd_delete(cli_session *session, frz_error **err);
frz_status cmd_truncate(cli_session *session, frz_error **err);
frz_status cmd_update(cli_session *session, frz_error **err);
frz_status cmd_overwrite(cli_session *session, frz_error **err);
frz_status cmd_merge(cli_session *session, frz_error **err);
frz_status cmd_upsert(cli_session *session, frz_error **err);
frz_status cmd_batch(cli_session *session, frz_error **err);
frz_status cmd_plan(cli_session *session, frz_error **err);
frz_status cmd_snapshots(cli_session *session, frz_error **err);
frz_status cmd_history(cli_session *session, frz_error **err);
frz_status cmd_refs(cli_session *session, frz_error **err);
frz_status cmd_files(cli_session *session, frz_error **err);
frz_status cmd_data_files(cli_session *session, frz_error **err);
frz_status cmd_delete_files(cli_session *session, frz_error **err);
frz_status cmd_manifests(cli_session *session, frz_error **err);
frz_status cmd_entries(cli_session *session, frz_error **err);
frz_status cmd_partitions(cli_session *session, frz_error **err);
frz_status cmd_metadata_log_entries(cli_session *session, frz_error **err);
frz_status cmd_all_files(cli_session *session, frz_error **err);
frz_status cmd_all_data_files(cli_session *session, frz_error **err);
frz_status cmd_all_delete_files(cli_session *session, frz_error **err);
frz_status cmd_all_manifests(cli_session *session, frz_error **err);
frz_status cmd_all_entries(cli_session *session, frz_error **err);
frz_status cmd_position_deletes(cli_session *session, frz_error **err);
frz_status cmd_verify(cli_session *session, frz_error **err);
frz_status cmd_tree(cli_session *session, frz_error **err);
frz_status cmd_inspect(cli_session *session, frz_error **err);
frz_status cmd_completion(cli_session *session, frz_error **err);
frz_status cmd_man(cli_session *session, frz_error **err);
frz_status cmd_help(cli_session *session, frz_error **err);

#endif
