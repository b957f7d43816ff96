import { Distribution, DistributionVersions } from './_distribution';
import { checkCommon, commonConfig, commonSelectorConfig, defined } from './_kubernetes-config';
import { Fields } from './_parts';
import { Rke2Cni, Rke2IngressController, Rke2Options } from './rke2-options';
import { DATA_DIRECTORY } from '../model/guest/rancher-names';
import { CONFIG_KEY, RESTRICTED_TEMPLATE } from '../model/guest-names';
import { Problem } from '../model/problem';
import { toYaml } from '../model/yaml-writer';
import { FeatureGates, GateId, KubernetesDistribution } from '../versions';

/** RKE2 with a user's options. */
export function rke2Distribution(options: Rke2Options): Distribution {
  const typed = typedConfig(options);
  return {
    name: KubernetesDistribution.RKE2,
    dataDirectory: DATA_DIRECTORY.rke2,
    globalConfig: { ...typed, ...options.config },
    globalDefaults: { [CONFIG_KEY.CNI]: Rke2Cni.CALICO, [CONFIG_KEY.DISABLE_KUBE_PROXY]: false, [CONFIG_KEY.ETCD_EXPOSE_METRICS]: false },
    selectorConfig: commonSelectorConfig(options),
    selectorDefaults: { [CONFIG_KEY.PROTECT_KERNEL_DEFAULTS]: options.profile !== undefined },
    chartValues: options.chartValues ?? {},
    podSecurityTemplate: options.profile === undefined ? undefined : RESTRICTED_TEMPLATE,
    *check(versions: DistributionVersions): Iterable<Problem> {
      yield* checkCommon(KubernetesDistribution.RKE2, options, { ...typed, ...commonSelectorConfig(options) }, versions);
      yield* checkIngress(options, versions);
      if (options.multus && options.cni === Rke2Cni.NONE) {
        yield { path: 'kubernetes.multus', message: 'needs a network plugin to run before', fix: 'name a cni, or install Multus with your own' };
      }
    },
  };
}

function typedConfig(options: Rke2Options): Fields {
  const { cni, multus, ingressControllers, profile, auditPolicy } = options;
  return {
    ...commonConfig(options),
    ...defined({
      [CONFIG_KEY.AUDIT_POLICY]: auditPolicy === undefined ? undefined : toYaml(auditPolicy),
      [CONFIG_KEY.CNI]: multus ? `multus,${cni ?? Rke2Cni.CALICO}` : cni,
      [CONFIG_KEY.INGRESS_CONTROLLER]: ingressControllers?.length === 1 ? ingressControllers[0] : ingressControllers,
      [CONFIG_KEY.PROFILE]: profile,
    }),
  };
}

function* checkIngress({ ingressControllers = [] }: Rke2Options, { rancher }: DistributionVersions): Iterable<Problem> {
  const path = 'kubernetes.ingressControllers';
  const gate = ingressControllers.length > 0 ? FeatureGates.of(GateId.INGRESS_CONTROLLER_KEY).problem(rancher) : undefined;
  if (gate) {
    yield { path, value: ingressControllers, message: gate, fix: `leave it out, or write it into config as "${CONFIG_KEY.INGRESS_CONTROLLER}" where you know that your release has it` };
  }
  if (ingressControllers.length > 1 && ingressControllers.includes(Rke2IngressController.NONE)) {
    yield { path, value: ingressControllers, message: 'names none beside another', fix: 'keep one of them' };
  }
}
