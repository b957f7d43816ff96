import { IConstruct } from 'constructs';
import { isRecord } from '../model/manifest';
import { Problem } from '../model/problem';

/**
 * What a load balancer reads of a workload of cdk8s-plus. Each release of cdk8s-plus for another Kubernetes version is a package of its own whose
 * classes have private members, so no type of one of them accepts the others.
 *
 * @see cdk8s-team/cdk8s-plus:src/workload.ts Workload
 */
export interface WorkloadLike {
  readonly matchLabels: { readonly [key: string]: string };
  readonly matchExpressions?: readonly unknown[];
  readonly metadata?: { readonly namespace?: string };
}

/** The construct as a workload; undefined where it is none, which checkWorkload reports. */
export function asWorkload(construct: IConstruct | undefined): WorkloadLike | undefined {
  return construct && isRecord((construct as Partial<WorkloadLike>).matchLabels) ? construct as unknown as WorkloadLike : undefined;
}

/** A Service selects pods by equal labels alone. */
export function checkWorkload(construct: IConstruct | undefined): Problem[] {
  if (!construct) { return []; }
  const workload = asWorkload(construct);
  if (!workload) {
    return [{
      path: 'workload',
      value: construct.node.path,
      message: 'must be a workload of cdk8s-plus, which has matchLabels',
      fix: 'pass a Deployment, StatefulSet or DaemonSet, or set selector to the labels of the pods',
    }];
  }
  if ((workload.matchExpressions ?? []).length === 0) { return []; }
  return [{
    path: 'workload',
    value: construct.node.path,
    message: 'selects its pods by expressions, which a Service cannot do',
    fix: 'set selector to labels that only these pods have',
  }];
}
