import MediaBase
package import MediaEngine
import NIOConcurrencyHelpers
import Recording
import Signaling

/// Running programmes of the relay: one for each session and video codec, shared by its readers.
package final class Programmes: Sendable {
    private struct Key: Hashable {
        var session: String
        /// A later session of the same name has a programme of its own.
        var id: SessionID?
        var codec: VideoCodec
    }

    private let engine: MediaEngine
    private let limits: ProgrammeLimits
    private let running = NIOLockedValueBox<[Key: SessionProgramme]>([:])

    package init(engine: MediaEngine, limits: ProgrammeLimits) {
        self.engine = engine
        self.limits = limits
    }

    /// Number of running programmes.
    package var count: Int { running.withLockedValue { $0.values.count { !$0.isEnded } } }

    /// Opens a reader of a session's programme, which begins if it does not run.
    /// - Parameters:
    ///   - session: name of the session in the engine.
    ///   - id: nil for a session without rules.
    ///   - list: returns the state of the session; nil when it has ended.
    /// - Throws: `engine` with the limits `programmes` and `programmeReaders`, `thread` or `encoder`.
    func open(
        session: String, id: SessionID?, codec: VideoCodec, listing: ProgrammeListing,
        list: @escaping @Sendable () async -> ProgrammeListing?
    ) throws(RecordingError) -> (programme: SessionProgramme, tap: PacketTap) {
        let result = running.withLockedValue { running -> Result<(SessionProgramme, PacketTap), RecordingError> in
            do throws(RecordingError) {
                return .success(try open(Key(session: session, id: id, codec: codec), listing, list, &running))
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func open(
        _ key: Key, _ listing: ProgrammeListing, _ list: @escaping @Sendable () async -> ProgrammeListing?,
        _ running: inout [Key: SessionProgramme]
    ) throws(RecordingError) -> (SessionProgramme, PacketTap) {
        for (key, programme) in running where programme.isEnded { running[key] = nil }
        do throws(EngineError) {
            if let programme = running[key], let tap = try programme.openTap() { return (programme, tap) }
            guard running.count < limits.programmes else {
                throw .limitReached(name: "programmes", limit: limits.programmes)
            }
        } catch { throw .engine(error) }
        var options = ProgrammeOptions()
        options.streams = limits.streams
        let programme = try SessionProgramme.start(
            engine: engine, session: key.session, codec: key.codec, listing: listing, options: options,
            maximumReaders: limits.readers, list: list)
        do throws(EngineError) {
            guard let tap = try programme.openTap() else { throw .stopped }
            running[key] = programme
            return (programme, tap)
        } catch { throw .engine(error) }
    }
}
