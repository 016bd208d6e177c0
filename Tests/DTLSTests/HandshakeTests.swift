import DTLS
import MediaBase
import SRTP
import Testing

@Suite struct HandshakeTests {
    @Test(arguments: DTLSIdentity.Kind.allCases, DTLSIdentity.Kind.allCases)
    func keysAgreeWhateverTheCertificates(client: DTLSIdentity.Kind, server: DTLSIdentity.Kind) throws {
        let network = try Identities.network(client: Identities.of(client), server: Identities.of(server))
        network.start()
        network.run { network.isConnected }
        let clientKeys = try #require(network.keys(.client))
        let serverKeys = try #require(network.keys(.server))
        #expect(clientKeys.suite == .aeadAES128GCM)
        #expect(clientKeys.local == serverKeys.remote)
        #expect(clientKeys.remote == serverKeys.local)
        #expect(clientKeys.local != clientKeys.remote)
        #expect(network.client.deadline == nil)
        #expect(network.server.deadline == nil)
        #expect(network.client.retransmissions == 0)
        #expect(network.server.retransmissions == 0)
    }
}
