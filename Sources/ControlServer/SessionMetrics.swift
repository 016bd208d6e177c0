import Signaling

/// Part of `/metrics` about sessions, participants, tokens, webhooks and reports.
struct SessionMetrics {
    let parts: ControlParts

    func add(to text: inout PrometheusText) async {
        users(await parts.sessions.gauges(), &text)
        tokens(&text)
        webhooks(&text)
        issues(await parts.issues.statistics(), &text)
        MessageMetrics(hub: parts.messages).add(to: &text)
    }

    private func users(_ gauges: SessionGauges, _ text: inout PrometheusText) {
        text.single("millrace_control_sessions", .gauge, "Live sessions of the control plane", gauges.sessions)
        text.family("millrace_participants", .gauge, "Participants of sessions, by how their media reaches the relay")
        for kind in [UserInfo.Kind.client, .publisher] {
            text.sample(gauges.users[kind] ?? 0, ["kind": kind.rawValue])
        }
        text.single(
            "millrace_participants_dropped", .gauge, "Participants whose client is lost and may resume",
            gauges.dropped)
        text.single(
            "millrace_control_connections", .gauge, "Open connections of the control protocol", gauges.connections)
        text.single("millrace_joins_total", .counter, "Participants that joined a session", gauges.joins)
        text.single(
            "millrace_resumes_total", .counter, "Connections resumed after a loss", gauges.resumes)
        text.family("millrace_disconnects_total", .counter, "Participants that left a session, by reason")
        for reason in DisconnectReason.allCases {
            text.sample(gauges.disconnects[reason] ?? 0, ["reason": reason.rawValue])
        }
        text.family("millrace_request_refusals_total", .counter, "Refused requests of the control protocol, by code")
        for (code, count) in gauges.refusals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(count, ["code": code.rawValue])
        }
        text.family(
            "millrace_resource_refusals_total", .counter,
            "Refusals because a user, token or address reached a limit, by the limit's key")
        for (limit, count) in parts.liveSessions.resources.refusals.sorted(by: { $0.key < $1.key }) {
            text.sample(count, ["limit": limit])
        }
        text.family("millrace_control_messages_total", .counter, "Messages of the control protocol, by direction")
        text.sample(gauges.messagesReceived, ["direction": "received"])
        text.sample(gauges.messagesSent, ["direction": "sent"])
    }

    private func tokens(_ text: inout PrometheusText) {
        let values = parts.tokenStatistics.values
        text.single("millrace_tokens_accepted_total", .counter, "Session tokens that were accepted", values.accepted)
        text.family("millrace_tokens_refused_total", .counter, "Session tokens that were refused, by cause")
        let causes: [ErrorCode] = [
            .tokenMissing, .tokenMalformed, .tokenExpired, .tokenNotYetValid, .tokenBadSignature, .tokenAlgorithm,
            .tokenUnknownApp, .tokenTopicMismatch,
        ]
        for cause in causes { text.sample(values.refused[cause] ?? 0, ["cause": cause.rawValue]) }
    }

    private func webhooks(_ text: inout PrometheusText) {
        let values = parts.webhookStatistics.values
        guard values.isConfigured else { return }
        text.single("millrace_webhooks_waiting", .gauge, "Webhook events that wait or are being sent", values.waiting)
        text.single(
            "millrace_webhooks_delivered_total", .counter, "Webhook events accepted by the receiver", values.delivered)
        text.single(
            "millrace_webhook_retries_total", .counter, "Retries of webhook events", values.retries)
        text.family("millrace_webhooks_dropped_total", .counter, "Webhook events that were given up, by cause")
        let causes = [
            ("queueFull", values.dropped), ("refused", values.refused), ("expired", values.expired),
            ("shutdown", values.unsent),
        ]
        for (cause, count) in causes { text.sample(count, ["cause": cause]) }
    }

    private func issues(_ statistics: IssueStatistics, _ text: inout PrometheusText) {
        text.single("millrace_issues", .gauge, "Client reports in the store", statistics.kept)
        text.single("millrace_issues_bytes", .gauge, "Size of the stored client reports in bytes", statistics.bytes)
        text.single(
            "millrace_issues_reported_total", .counter, "Client reports that were stored", statistics.reported)
        text.single(
            "millrace_issues_refused_total", .counter, "Client reports that were too large or could not be written",
            statistics.refused)
    }
}
