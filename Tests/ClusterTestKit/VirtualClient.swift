import MediaBase
import Signaling

/// Client of a `VirtualCluster`, which joins sessions by their names and stays for some time.
struct VirtualClient {
    /// Number of the current attempt. Events of earlier ones are dropped.
    var attempt = 0
    var name = 0
    /// Relay that the client reached.
    var edge = 0
    /// Relay to which the edge proxies the request; nil: the edge itself.
    var proxied: Int?
    /// Session that the client resumes; nil: it joins by the name.
    var resumes: SessionID?
    /// Requests that were proxied in vain since the last wait.
    var redirections = 0
    /// Session and home relay of the client while it is in a session.
    var session: SessionID?
    var home = 0
    /// Session in which the store had the client's seat, and the time at which this was known.
    var saved: (session: SessionID, time: MediaTime)?
}
