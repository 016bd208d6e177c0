/// Limits of the programmes of a relay.
package struct ProgrammeLimits: Sendable {
    /// Maximum number of programmes that run at the same time. Each decodes and encodes audio.
    package var programmes = 16
    /// Maximum number of readers of one programme.
    package var readers = 100
    /// Maximum number of streams of a session that its programme considers.
    package var streams = 100

    package init() {}
}
