/// Addresses that a frame to one destination needs.
package struct EthernetRoute: Sendable {
    package var ethernet: EthernetHeader
    package var source: IPv4Host
    package var destination: IPv4Host
    /// Index of the network interface.
    package var interface: Int32
    /// Longest IPv4 packet in bytes.
    package var mtu: Int
    /// Value of the time-to-live field.
    package var hopLimit: UInt8

    package init(
        ethernet: EthernetHeader, source: IPv4Host, destination: IPv4Host, interface: Int32, mtu: Int, hopLimit: UInt8
    ) {
        self.ethernet = ethernet
        self.source = source
        self.destination = destination
        self.interface = interface
        self.mtu = mtu
        self.hopLimit = hopLimit
    }
}
