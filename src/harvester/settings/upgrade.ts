import { Duration } from 'cdk8s';

/**
 * How the images of a release get onto the nodes before an upgrade.
 */
export class ImagePreload {
  /** One node after the other. */
  public static sequential(): ImagePreload {
    return new ImagePreload({ type: 'sequential' });
  }

  /** Not at all: every node pulls them when it needs them. Not for production. */
  public static skip(): ImagePreload {
    return new ImagePreload({ type: 'skip' });
  }

  /**
   * Many nodes at once.
   *
   * @param concurrency how many; all by default
   */
  public static parallel(concurrency: number = 0): ImagePreload {
    return new ImagePreload({ type: 'parallel', concurrency });
  }

  private constructor(private readonly strategy: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return this.strategy;
  }
}

/**
 * How an upgrade goes from node to node. Needs Harvester 1.7.0.
 */
export class NodeUpgrade {
  /** Without a stop. */
  public static auto(): NodeUpgrade {
    return new NodeUpgrade({ mode: 'auto' });
  }

  /**
   * With a stop before nodes, until somebody lets it go on.
   *
   * @param pauseNodes names of nodes; before all by default
   */
  public static manual(pauseNodes?: string[]): NodeUpgrade {
    return new NodeUpgrade({ mode: 'manual', pauseNodes });
  }

  private constructor(private readonly strategy: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return this.strategy;
  }
}

/**
 * How upgrades of a Harvester go.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index#upgrade-config
 */
export interface UpgradeConfigProps {
  /** @default ImagePreload.sequential() */
  readonly imagePreload?: ImagePreload;
  /** Needs Harvester 1.7.0. @default - without a stop */
  readonly nodeUpgrade?: NodeUpgrade;
  /** Whether virtual machines that can't migrate are stopped and started again. @default false */
  readonly restoreVm?: boolean;
  /** How long Harvester waits for the log of the upgrade, 1 to 20 minutes. Needs Harvester 1.7.0. @default - 5 minutes */
  readonly logReadyTimeout?: Duration;
}

/** The JSON of the configuration. */
export function upgradeConfig(props: UpgradeConfigProps): { readonly [key: string]: unknown } {
  return {
    imagePreloadOption: { strategy: (props.imagePreload ?? ImagePreload.sequential())._toStrategy() },
    nodeUpgradeOption: props.nodeUpgrade && { strategy: props.nodeUpgrade._toStrategy() },
    restoreVM: props.restoreVm ?? false,
    logReadyTimeout: props.logReadyTimeout === undefined ? undefined : String(props.logReadyTimeout.toMinutes()),
  };
}
