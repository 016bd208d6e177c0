import Forwarding
import MediaBase

/// Messages of the kernel about routes, neighbours and interfaces, between questions about a few destinations.
enum NetlinkFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        var input = FuzzInput(bytes)
        var routes = EthernetRoutes(hopLimit: 64)
        var now = MediaTime.seconds(1)
        while !input.isEmpty {
            now += .milliseconds(Int64(input.u8()) * 16)
            let operation = input.u8()
            let host = IPv4Host(rawValue: 0x0a0a_0000 | UInt32(operation & 7))
            if let route = routes.route(to: host, from: .any, now: now) {
                try require(route.destination == host && route.source != .any, "a route of other addresses")
                try require(route.mtu > 0 && route.interface > 0, "a route without an interface")
            }
            if operation & 8 != 0 {
                withUnsafeTemporaryAllocation(byteCount: EthernetRoutes.requestBytes, alignment: 8) { buffer in
                    while routes.writeRequest(to: buffer) > 0 {}
                }
            }
            let message = input.take(Int(input.u16()) & 0x7ff)
            switch operation >> 4 & 3 {
            case 0: routes.receive(answers: message, now: now)
            case 1: routes.receive(notifications: message)
            case 2: routes.removeIdle(now: now)
            default: routes.receiveLoss()
            }
            try require(routes.count <= 8, "\(routes.count) destinations")
        }
    }
}
