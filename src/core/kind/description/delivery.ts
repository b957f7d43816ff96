import { StageRule } from './stage-place';
import { Manifest } from '../../manifest/manifest';

/** How a GitOps engine delivers an object. */
export interface KindDelivery {
  /**
   * The stage in which a GitOps engine delivers an object: never by what else is in the program.
   * @default - by rank and scope
   */
  readonly stage?: StageRule;
  /**
   * Whether every GitOps engine applies objects of the kind before those that need them, within one
   * apply.
   *
   * @default false
   * @see argoproj/argo-cd:gitops-engine/pkg/sync/sync_tasks.go kindOrder; helm/helm:pkg/release/util/kind_sorter.go InstallOrder;
   * fluxcd/cli-utils:pkg/ordering/sort.go
   */
  readonly appliedFirst?: boolean;
  /**
   * Why an engine that compares an object repeatedly would write it indefinitely; undefined for one
   * that comes to rest.
   * @default - it comes to rest
   */
  readonly unsettled?: (manifest: Manifest) => Unsettled | undefined;
  /**
   * An object in the form in which the product stores it, so that an engine has nothing to write
   * again.
   * @default - as it was written
   */
  readonly asStored?: (manifest: Manifest) => Manifest;
}

/** An object that an engine would write indefinitely. */
export interface Unsettled {
  readonly path: string;
  /** A clause without its subject. */
  readonly reason: string;
  readonly fix: string;
}
