/// Question of `FrameRoutes` to the kernel.
enum FrameQuestion {
    case route(to: IPv4Host, from: IPv4Host)
    case neighbour(FrameHop.Key)
    case link(Int32)
}
