import { Duration } from 'cdk8s';

/**
 * What happens to a release whose installation or upgrade failed.
 */
export enum HelmFailurePolicy {
  /** It stays as it is, for someone to look at. */
  ABORT = 'abort',
  /** It is removed and installed anew. */
  REINSTALL = 'reinstall',
  /** It is tried again. Recent releases of RKE2 and K3s only. */
  RETRY = 'retry',
}

/**
 * A Secret with values of a chart.
 */
export interface HelmValuesSecret {
  /** The name of the Secret, in the namespace of the HelmChart. */
  readonly name: string;
  /** The keys that hold values, as YAML. @default - all */
  readonly keys?: string[];
  /** Whether a change of the Secret is not followed. @default false */
  readonly ignoreUpdates?: boolean;
}

/**
 * The values of a chart, and what happens when they can not be applied.
 */
export interface HelmChartValues {
  /** The values, by key. They may hold late values. @default - those of the chart */
  readonly values?: { readonly [key: string]: any };
  /** Secrets with more values, which win. @default - none */
  readonly valuesSecrets?: HelmValuesSecret[];
  /** What happens to a release that failed. @default - that of the helm controller, HelmFailurePolicy.REINSTALL */
  readonly failurePolicy?: HelmFailurePolicy;
}

/**
 * A Helm chart as RKE2 and K3s install it.
 */
export interface HelmChartOptions extends HelmChartValues {
  /** The chart: its name in the repository, or an `oci://` or `https://` URL of the chart itself. One of this and `chartContent`. */
  readonly chart?: string;
  /** The chart itself, an archive in base64. @default - none */
  readonly chartContent?: string;
  /** The URL of the repository. @default - none; `chart` is a URL */
  readonly repository?: string;
  /** The version of the chart. @default - the latest, which changes under way */
  readonly version?: string;
  /** The namespace of the release. @default - that of the HelmChart */
  readonly targetNamespace?: string;
  /** Whether that namespace is made where it lacks. @default false */
  readonly createNamespace?: boolean;
  /** Single values, which win over all others, as `helm --set`. @default - none */
  readonly set?: { readonly [key: string]: string };
  /** Whether it is installed before the nodes are ready: for what makes them so, such as a cloud provider. @default false */
  readonly bootstrap?: boolean;
  /** Whether a release that Helm did not install so far is taken over. @default false */
  readonly takeOwnership?: boolean;
  /** How long Helm waits for each thing; whole seconds. @default - that of the helm controller, 5 minutes */
  readonly timeout?: Duration;
  /** How often the job is tried. @default - that of the helm controller */
  readonly backOffLimit?: number;
  /** The image of the job, for a private registry. @default - that of the helm controller */
  readonly jobImage?: string;
  /** PEM bundle of the authorities that signed the repository's certificate. @default - public ones */
  readonly repositoryCa?: string;
  /** A Secret of type kubernetes.io/basic-auth for the repository. @default - none */
  readonly authSecret?: string;
  /** Whether these credentials also go to other hosts that the repository names. @default false */
  readonly authPassCredentials?: boolean;
  /** A Secret of type kubernetes.io/dockerconfigjson for an `oci://` chart. @default - none */
  readonly dockerRegistrySecret?: string;
  /** Whether the repository's certificate is not verified. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}
