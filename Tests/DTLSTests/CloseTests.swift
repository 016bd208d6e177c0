import DTLS
import MediaBase
import Testing

@Suite("Ends of DTLS associations") struct CloseTests {
    private func connected() throws -> Network {
        let network = try Identities.network()
        network.start()
        network.run { network.isConnected }
        network.run()
        return network
    }

    @Test(arguments: [true, false]) func closeNotifyEndsBothSides(byClient: Bool) throws {
        let network = try connected()
        let before = network.sent.count
        let closer = network.connection(byClient ? .client : .server)
        closer.close(now: network.now)
        #expect(closer.state == .closed)
        network.collect()
        #expect(network.sent.count == before + 1)
        network.run()
        #expect(network.connection(byClient ? .server : .client).state == .closed)
        // The other side answers with its own close_notify (RFC 5246 section 7.2.1), and with nothing else.
        #expect(network.sent.count == before + 2)
        #expect(network.client.deadline == nil)
        #expect(network.server.deadline == nil)
    }

    @Test func closingTwiceSaysItOnce() throws {
        let network = try connected()
        network.client.close(now: network.now)
        #expect(network.client.nextDatagram() != nil)
        network.client.close(now: network.now)
        #expect(network.client.nextDatagram() == nil)
    }

    @Test func closingAHandshakeSaysNothing() throws {
        let network = try Identities.network()
        network.start()
        network.client.close(now: network.now)
        network.server.close(now: network.now)
        #expect(network.client.state == .closed)
        #expect(network.client.deadline == nil)
        #expect(network.client.nextDatagram() == nil)
        network.run()
        #expect(network.sent.count == 1)
        #expect(network.server.state == .closed)
    }

    @Test func aForgedOrReplayedCloseIsIgnored() throws {
        let network = try connected()
        // A plaintext alert, which anyone could send: close_notify, and a fatal one.
        for alert: [UInt8] in [[1, 0], [2, 40]] {
            let datagram: [UInt8] = [21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2] + alert
            datagram.withUnsafeBytes { network.server.receive($0, now: network.now) }
            // The same alert in an encrypted record type.
            let sealed: [UInt8] =
                [21, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 26] + alert + [UInt8](repeating: 7, count: 24)
            sealed.withUnsafeBytes { network.server.receive($0, now: network.now) }
        }
        #expect(network.keys(.server) != nil)
        #expect(network.server.nextDatagram() == nil)
        for datagram in network.sent where datagram.from == .client {
            datagram.bytes.withUnsafeBytes { network.server.receive($0, now: network.now) }
        }
        #expect(network.keys(.server) != nil)
        #expect(network.server.nextDatagram() == nil)
    }
}
