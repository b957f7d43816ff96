import { deliverPlain } from './deliver';
import { ArgoCdEngine, ArgoCdDeliveryProps } from './engine/argo-cd-engine';
import { DeliveryEngine } from './engine/engine';
import { FleetEngine, FleetDeliveryProps } from './engine/fleet-engine';
import { FluxEngine, FluxDeliveryProps } from './engine/flux-engine';
import { DeliveredOutput, IDelivery, PlainOutput } from '../core/program/delivery-step';

/**
 * How the output reaches the clusters.
 *
 * With an engine, the objects of a target are in a folder for each stage: objects of a later stage
 * need those of an earlier one. Objects carry what protects them from being pruned, and the output
 * folder contains the files that the engine needs.
 *
 * @example
 * import { Duration } from 'cdk8s';
 * import { Delivery, HarvesterApp } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp({
 *   delivery: Delivery.flux({ sourceName: 'platform', path: 'dist', interval: Duration.minutes(10) }),
 * });
 */
export class Delivery implements IDelivery {
  /** No engine: `apply`, kubectl, or an engine that you configure yourself. */
  public static none(): Delivery {
    return new Delivery();
  }

  /** Flux: a Kustomization for each stage, in `flux/`. Tested with Flux 2.9. */
  public static flux(props: FluxDeliveryProps): Delivery {
    return new Delivery(new FluxEngine(props));
  }

  /**
   * Argo CD: an Application for each target, with stages as waves, in `argo-cd/`. Tested with Argo
   * CD 3.5.
   */
  public static argoCd(props: ArgoCdDeliveryProps): Delivery {
    return new Delivery(new ArgoCdEngine(props));
  }

  /**
   * Fleet: a bundle for each stage and a GitRepo for each target, in `fleet/`. Tested with Fleet
   * 0.15.
   */
  public static fleet(props: FleetDeliveryProps): Delivery {
    return new Delivery(new FleetEngine(props));
  }

  private constructor(private readonly engine?: DeliveryEngine) {}

  /** @internal */
  public _deliver(output: PlainOutput): DeliveredOutput | undefined {
    return this.engine && deliverPlain(output, this.engine);
  }

  /** @internal */
  public _hasEngine(): boolean {
    return this.engine !== undefined;
  }
}
