// PostgreSQL's client library, loaded at run time: a relay without a cluster does not need it, and its many dependencies would cost start
// time and memory.
#pragma once
#include <stddef.h>

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/// Fields of an error. Swift cannot import the library's macros for them.
static const int millrace_pq_sqlstate = PG_DIAG_SQLSTATE;
static const int millrace_pq_message = PG_DIAG_MESSAGE_PRIMARY;

/// Functions of the library.
struct millrace_pq {
    __typeof__(&PQconninfoParse) parse_uri;
    __typeof__(&PQconninfoFree) free_options;
    __typeof__(&PQfreemem) free_memory;
    __typeof__(&PQconnectdbParams) connect;
    __typeof__(&PQsetNoticeProcessor) set_notice_processor;
    __typeof__(&PQsetnonblocking) set_nonblocking;
    __typeof__(&PQstatus) status;
    __typeof__(&PQsocket) socket;
    __typeof__(&PQerrorMessage) error_message;
    __typeof__(&PQsendQuery) send_query;
    __typeof__(&PQsendPrepare) send_prepare;
    __typeof__(&PQsendQueryPrepared) send_prepared;
    __typeof__(&PQflush) flush;
    __typeof__(&PQconsumeInput) consume_input;
    __typeof__(&PQisBusy) is_busy;
    __typeof__(&PQgetResult) get_result;
    __typeof__(&PQfinish) finish;
    __typeof__(&PQresultStatus) result_status;
    __typeof__(&PQresultErrorField) error_field;
    __typeof__(&PQntuples) row_count;
    __typeof__(&PQgetvalue) value;
    __typeof__(&PQgetlength) length;
    __typeof__(&PQclear) clear;
    __typeof__(&PQfnumber) column;
    __typeof__(&PQgetisnull) is_null;
    __typeof__(&PQenterPipelineMode) enter_pipeline;
    __typeof__(&PQpipelineSync) pipeline_sync;
    __typeof__(&PQnotifies) next_notice;
};

/// Loads the library at the first call. May be called from any thread.
/// - Parameter reason: receives the reason of a failure. It is valid until the end of the process.
/// - Returns: the functions, or NULL if the library is not installed or lacks one of them.
const struct millrace_pq *millrace_pq_load(const char **reason);
