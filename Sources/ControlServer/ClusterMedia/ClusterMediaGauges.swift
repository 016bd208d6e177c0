/// Links and pipes of the sessions whose home relay is this one.
struct ClusterMediaGauges {
    private(set) var links: Int
    /// Pipes to this relay.
    private(set) var pipesIn = 0
    /// Pipes from this relay.
    private(set) var pipesOut = 0
    /// Pipes between two other relays.
    private(set) var pipesBetween = 0

    init(links: Int = 0, routes: some Collection<MediaPipe.Route>) {
        self.links = links
        for route in routes {
            if route.to == .home {
                pipesIn += 1
            } else if route.from == .home {
                pipesOut += 1
            } else {
                pipesBetween += 1
            }
        }
    }

    mutating func add(_ other: ClusterMediaGauges) {
        links += other.links
        pipesIn += other.pipesIn
        pipesOut += other.pipesOut
        pipesBetween += other.pipesBetween
    }
}
