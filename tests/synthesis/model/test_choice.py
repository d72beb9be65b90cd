from dalenius.synthesis.model.choice import chosen_settings, usual_settings
from dalenius.synthesis.model.evidence import NoisyTables
from dalenius.synthesis.model.mixture import Shape
from dalenius.synthesis.model.public_coins import PublicCoins
from tests.synthesis.model.test_evidence import TABLES


def test_more_noise_takes_fewer_components_and_stronger_priors():
    loud, usual, quiet = (usual_settings(noise) for noise in (0.01, 0.001, 0.0001))
    assert loud.components < usual.components < quiet.components
    assert loud.pull > usual.pull > quiet.pull
    assert loud.smooth > usual.smooth > quiet.smooth


def test_settings_are_chosen_from_the_release_alone_and_the_same_again():
    assert chosen_settings(TABLES, PublicCoins("c")) == chosen_settings(TABLES, PublicCoins("c"))


def test_one_column_needs_no_choice():
    alone = NoisyTables(Shape((2,), (False,)), 1, TABLES.tables[:1])
    assert chosen_settings(alone, PublicCoins("c")) == usual_settings(alone.noise)
