package import MediaBase

/// Messages of the kernel.
extension EthernetRoutes {
    /// Takes the answers to requests.
    package mutating func receive(answers bytes: UnsafeRawBufferPointer, now: MediaTime) {
        var rest = bytes
        while let message = NetlinkMessage(from: &rest) {
            guard let asked = takeQuestion(message.sequence) else { continue }
            switch asked.question {
            case .route(let host, let origin):
                let isRoute = message.type == NetlinkMessage.Kind.newRoute
                set(
                    isRoute ? RouteMessage(body: message.body) : nil, to: host, from: origin,
                    generation: asked.generation, now: now)
            case .neighbour, .link: takeState(message)
            }
        }
    }

    /// Takes notifications of changes.
    package mutating func receive(notifications bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let message = NetlinkMessage(from: &rest) {
            switch message.type {
            case NetlinkMessage.Kind.newRoute, NetlinkMessage.Kind.removedRoute, NetlinkMessage.Kind.newAddress,
                NetlinkMessage.Kind.removedAddress, NetlinkMessage.Kind.newRule, NetlinkMessage.Kind.removedRule,
                NetlinkMessage.Kind.newNextHop, NetlinkMessage.Kind.removedNextHop:
                invalidate()
            default: takeState(message)
            }
        }
    }

    /// Asks for everything again, because the kernel dropped notifications.
    package mutating func receiveLoss() {
        invalidate()
        forgetStates()
    }

    /// Takes the state of a neighbour or of an interface; ignores those that are not in use.
    private mutating func takeState(_ message: NetlinkMessage) {
        switch message.type {
        case NetlinkMessage.Kind.newNeighbour, NetlinkMessage.Kind.removedNeighbour:
            let isRemoved = message.type == NetlinkMessage.Kind.removedNeighbour
            guard let state = NeighbourMessage(body: message.body, isRemoved: isRemoved),
                let i = hopNumber(NextHop.Key(interface: state.interface, host: state.host))
            else { return }
            hops[i].address = state.address
            prepare(i)
        case NetlinkMessage.Kind.newLink, NetlinkMessage.Kind.removedLink:
            let isRemoved = message.type == NetlinkMessage.Kind.removedLink
            guard let state = LinkMessage(body: message.body, isRemoved: isRemoved),
                let i = links.firstIndex(where: { $0.interface == state.interface })
            else { return }
            guard links[i].state != state else { return }
            links[i].state = state
            for hop in 0..<hopCount where hops[hop].key.interface == state.interface { prepare(hop) }
        default: break
        }
    }

    /// Makes the header of frames to a hop from its state and that of its interface.
    private func prepare(_ i: Int) {
        hops[i].link = nil
        guard let address = hops[i].address,
            let state = links.first(where: { $0.interface == hops[i].key.interface })?.state,
            let own = state.address
        else { return }
        hops[i].link = (EthernetHeader(to: address, from: own), state.mtu)
    }
}
