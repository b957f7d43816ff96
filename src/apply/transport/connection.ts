/** What a request is signed with. */
export interface Credentials {
  readonly headers: { readonly [name: string]: string };
  /** PEM of a client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * How one Kubernetes API is reached: one for each context, never shared, so that no credential goes to another server.
 */
export interface Connection {
  /** Where it comes from, for people: the name of a context, or of a Secret. */
  readonly name: string;
  /** May have a path, e.g. of Rancher's proxy: `https://rancher.example.com/k8s/clusters/c-m-abc`. */
  readonly server: URL;
  /** PEM; the authorities of the system where it is undefined. */
  readonly ca?: string;
  /** The name that the certificate is checked for, where it is not the server's. */
  readonly tlsServerName?: string;
  /** Certificates are not checked. Only where the user asked for this very target. */
  readonly insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy to reach the server through, by CONNECT. */
  readonly proxy?: URL;
  /** Asked before every request; with `refresh` after a 401: exec plugins and token files give a new one. */
  readonly credentials: (refresh: boolean) => Promise<Credentials>;
}
