import Foundation
import HTTPCalls
import MediaBase
import WebRTCClient

/// HTTP calls of a push to its WHIP server, each to an address that the rules allow.
struct PushCaller: Sendable {
    let caller: HTTPCaller
    let rules: PushRules
    /// Bearer token (RFC 6750); nil for none.
    let token: String?
    /// Whether `http:` URLs are allowed. A redirection never leads from `https:` to them.
    let allowsHTTP: Bool

    private static let callTime = Duration.seconds(10)
    /// Maximum size of a response body: that of a session description with many candidates.
    private static let answerBytes = 64 << 10
    /// Number of a host's addresses that are tried.
    private static let addressesTried = 2

    /// Posts an offer.
    func post(_ offer: String, to url: String) async -> Result<PushAnswer, PushFailure> {
        await call(
            "POST", url, fields: [("Content-Type", "application/sdp"), ("Accept", "application/sdp")],
            body: Array(offer.utf8))
    }

    /// Changes the ICE session of a resource.
    /// - Parameters:
    ///   - fragment: candidates, or the credentials and candidates of an ICE restart.
    ///   - condition: entity-tag of the ICE session that the candidates belong to; `*` for a restart.
    func patch(_ url: String, with fragment: String, ifMatch condition: String) async
        -> Result<PushAnswer, PushFailure>
    {
        await call(
            "PATCH", url, fields: [("Content-Type", WebRTCResource.fragmentType), ("If-Match", condition)],
            body: Array(fragment.utf8))
    }

    /// Deletes a resource.
    func delete(_ url: String) async -> Result<PushAnswer, PushFailure> { await call("DELETE", url) }

    private func call(
        _ method: String, _ url: String, fields: [(String, String)] = [], body: [UInt8] = []
    ) async -> Result<PushAnswer, PushFailure> {
        guard let target = HTTPTarget(url) else { return .failure(.unusableURL("the URL is not valid")) }
        guard target.isSecure || allowsHTTP else {
            return .failure(.unusableURL("only https: URLs are allowed"))
        }
        let addresses = await HostResolver.addresses(of: target.host, port: UInt16(target.port))
        guard !addresses.isEmpty else { return .failure(.unreachable("\(target.host) does not resolve")) }
        let allowed = rules.allowsPrivate ? addresses : addresses.filter { !$0.isInternal }
        var failure = PushFailure.addressRefused("the address of \(target.host) is not on the internet")
        let authorization = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        let call = HTTPCall(method: method, target: target, fields: fields + authorization, body: body)
        for address in allowed.prefix(Self.addressesTried) {
            do throws(HTTPCallError) {
                let answer = try await caller.send(
                    call, to: address, within: Self.callTime, limit: Self.answerBytes)
                return .success(PushAnswer(answer, to: url))
            } catch {
                failure = PushFailure(error)
                guard case .connect = error else { return .failure(failure) }
            }
        }
        return .failure(failure)
    }
}

extension PushFailure {
    /// Describes the error without the URL's path, which may contain a stream key.
    fileprivate init(_ error: HTTPCallError) {
        self =
            switch error {
            case .connect(let target, let reason): .unreachable("cannot connect to \(target.host): \(reason)")
            case .timeout(let target): .unreachable("\(target.host) did not answer in time")
            case .broken(let target, let reason): .unreachable("the connection to \(target.host) broke: \(reason)")
            case .tooLarge(_, let limit): .unusableAnswer("it has more than \(limit) bytes")
            case .authorities: .local("\(error)")
            }
    }
}

extension PushAnswer {
    /// - Parameter url: URL of the call, which `Location` is relative to.
    fileprivate init(_ answer: HTTPCallAnswer, to url: String) {
        let location = answer.fields["location"].flatMap { location in
            URL(string: location, relativeTo: URL(string: url))?.absoluteString
        }
        let seconds = answer.fields["retry-after"].flatMap { UInt16($0) }
        self.init(
            status: answer.status, location: location, tag: answer.fields["etag"].flatMap { EntityTag($0) },
            retryAfter: seconds.map { .seconds(Double($0)) }, body: answer.body)
    }
}
