import MediaBase

/// Network interface of a hop.
struct EthernetInterface {
    let interface: Int32
    /// Last message about it; nil before the first one.
    var state: LinkMessage?
    /// Time from which the kernel is asked about it again, if it has not answered.
    var askAt: MediaTime
}
