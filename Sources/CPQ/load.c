#include "CPQ.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct millrace_pq functions;
static char failure[256];
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void note_failure(void) {
    const char *text = dlerror();
    snprintf(failure, sizeof failure, "%s", text ? text : "unknown error of the dynamic linker");
}

static void load(void) {
    // Never closed: OpenSSL, on which it depends, registers functions that run at the end of the process.
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        note_failure();
        return;
    }
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"PQconninfoParse", &functions.parse_uri},
        {"PQconninfoFree", &functions.free_options},
        {"PQfreemem", &functions.free_memory},
        {"PQconnectdbParams", &functions.connect},
        {"PQsetNoticeProcessor", &functions.set_notice_processor},
        {"PQsetnonblocking", &functions.set_nonblocking},
        {"PQstatus", &functions.status},
        {"PQsocket", &functions.socket},
        {"PQerrorMessage", &functions.error_message},
        {"PQsendQuery", &functions.send_query},
        {"PQsendPrepare", &functions.send_prepare},
        {"PQsendQueryPrepared", &functions.send_prepared},
        {"PQflush", &functions.flush},
        {"PQconsumeInput", &functions.consume_input},
        {"PQisBusy", &functions.is_busy},
        {"PQgetResult", &functions.get_result},
        {"PQfinish", &functions.finish},
        {"PQresultStatus", &functions.result_status},
        {"PQresultErrorField", &functions.error_field},
        {"PQntuples", &functions.row_count},
        {"PQgetvalue", &functions.value},
        {"PQgetlength", &functions.length},
        {"PQclear", &functions.clear},
        {"PQfnumber", &functions.column},
        {"PQgetisnull", &functions.is_null},
        {"PQenterPipelineMode", &functions.enter_pipeline},
        {"PQpipelineSync", &functions.pipeline_sync},
        {"PQnotifies", &functions.next_notice},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        // POSIX defines this conversion between pointers to objects and to functions.
        *(void **)wanted[i].to = dlsym(library, wanted[i].name);
        if (!*(void **)wanted[i].to) {
            note_failure();
            return;
        }
    }
    is_loaded = 1;
}

const struct millrace_pq *millrace_pq_load(const char **reason) {
    pthread_once(&once, load);
    if (is_loaded) return &functions;
    *reason = failure;
    return NULL;
}
