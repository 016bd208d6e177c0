/// Membership in a cluster of relays.
package enum ClusterKeys: ConfigurationSection {
    package static let title = "Cluster"
    package static let keys: [ConfigurationKey] = [
        .text(
            "cluster.url", \.clusterURL, .storeURL,
            "PostgreSQL database of the cluster; without it the relay is alone ([cluster.md](cluster.md))"),
        .text(
            "cluster.id", \.clusterID, .clusterName,
            "name of this relay in the cluster, unique and the same after a restart; by default the host name"),
        .text(
            "cluster.link", \.clusterLink, .hostAndPort,
            """
            host and port at which the other relays reach this one; by default the first advertised address with port \
            7881
            """),
        .text(
            "cluster.listenAddress", \.clusterListenAddress, .address,
            "address that the port of links binds to; only relays of the cluster are accepted there"),
        .text(
            "cluster.region", \.clusterRegion, .clusterName,
            "group of relays that are near each other; a busy relay prefers others of its region"),
        .integer(
            "cluster.ttlSeconds", \.clusterTTLSeconds, 2...60,
            """
            time without a heartbeat after which the sessions of a relay can be taken over; the same for all relays \
            of a cluster
            """),
        .flag(
            "cluster.pipes", \.clusterPipes,
            """
            media of a client opens at the relay that the client is connected to, and relays pass media on to each \
            other; without it all media of a session opens at its home relay
            """),
    ]
}
