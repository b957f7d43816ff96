"""How the output reaches the clusters, and how it keeps secrets."""

from cdk8s_harvester import Delivery

DELIVERY = {
    "delivery": Delivery.none(),
    # makes the IDs of clusters unpredictable; with another salt, they are other clusters
    "id_salt": "00000000000000000000000000000000",
}
