import ClusterLink

/// Metrics of a relay's membership in its cluster.
struct ClusterMetrics {
    let edge: ClusterEdge
    let liveSessions: LiveSessions

    func add(to text: inout PrometheusText) async {
        membership(&text)
        await media(&text)
    }

    private func membership(_ text: inout PrometheusText) {
        let status = edge.node.status
        let counts = status.counts
        text.single(
            "millrace_cluster_member", .gauge, "1 while the relay is a member of its cluster", status.isMember ? 1 : 0)
        text.single(
            "millrace_cluster_acts", .gauge, "1 while the relay may run the rules of its sessions", status.acts ? 1 : 0)
        text.family("millrace_cluster_relays", .gauge, "Relays of the cluster, by state")
        let alive = status.relays.count { $0.isAlive }
        text.sample(alive, ["state": "alive"])
        text.sample(status.relays.count - alive, ["state": "lost"])
        text.single(
            "millrace_cluster_sessions", .gauge, "Sessions whose home relay is this one", status.sessions)
        text.single(
            "millrace_cluster_proxied_connections", .gauge, "WebSockets proxied to the home relays of their sessions",
            edge.proxiedSockets.count)
        text.single(
            "millrace_cluster_beat_seconds", .gauge, "Duration of the last heartbeat in seconds",
            counts.beatTime.seconds)
        text.single(
            "millrace_cluster_store_requests_total", .counter, "Requests that the cluster's database answered",
            counts.storeRequests)
        text.single(
            "millrace_cluster_store_failures_total", .counter, "Requests that the cluster's database did not answer",
            counts.storeFailures)
        text.family(
            "millrace_cluster_resolved_total", .counter,
            "Questions for a session's home relay, by answer: this relay, another one, or none")
        text.sample(counts.resolvedHere, ["home": "here"])
        text.sample(counts.resolvedThere, ["home": "there"])
        text.sample(counts.unresolved, ["home": "none"])
        text.single(
            "millrace_cluster_superseded_total", .counter, "Sessions that another relay took over while they ran here",
            counts.superseded)
    }

    private func media(_ text: inout PrometheusText) async {
        var gauges = ClusterMediaGauges(routes: [])
        for liveSession in liveSessions.all { gauges.add(await liveSession.read { $0.mediaGauges }) }
        text.family(
            "millrace_cluster_media_links", .gauge,
            "Links for the media of sessions at other relays, by what this relay is: home of the session, or edge")
        text.sample(gauges.links, ["role": "home"])
        text.sample(liveSessions.edgeMedia.count, ["role": "edge"])
        text.family(
            "millrace_cluster_media_pipes", .gauge,
            "Pipes of the sessions whose home relay is this one: to this relay, from it, or between other relays")
        text.sample(gauges.pipesIn, ["direction": "in"])
        text.sample(gauges.pipesOut, ["direction": "out"])
        text.sample(gauges.pipesBetween, ["direction": "between"])
        text.single(
            "millrace_cluster_media_links_lost_total", .counter,
            "Links from this relay to the media of its sessions that were lost, with the peers at the other relay",
            liveSessions.statistics.values.mediaLinksLost)
    }
}
