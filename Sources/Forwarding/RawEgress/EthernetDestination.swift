import MediaBase

/// Entry of `EthernetRoutes`: one destination, and the route to it that the kernel named last.
struct EthernetDestination {
    /// Requested source address; any: the kernel's choice.
    var origin: IPv4Host
    var host: IPv4Host
    /// Source address of the route.
    var source: IPv4Host = .any
    /// Index of the hop; -1 if packets to the destination must leave through the kernel.
    var hop: Int32 = -1
    /// Limit that the route sets.
    var mtu = Int.max
    var hopLimit: UInt8 = 0
    /// Value of `EthernetRoutes.generation` when the kernel was asked for the route; 0: never.
    var generation: UInt32 = 0
    /// The same for the last question that is in the queue or was asked.
    var asked: UInt32 = 0
    /// Time from which the kernel is asked again.
    var askAt: MediaTime = .zero
    /// Time from which one message must leave through the kernel.
    var kernelDue: MediaTime = .zero
    var usedAt: MediaTime = .zero
    /// False for a free slot of the table.
    var isUsed = false
}
