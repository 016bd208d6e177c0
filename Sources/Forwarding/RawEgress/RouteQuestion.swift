/// Question of `EthernetRoutes` to the kernel.
enum RouteQuestion {
    case route(to: IPv4Host, from: IPv4Host)
    case neighbour(NextHop.Key)
    case link(Int32)
}
