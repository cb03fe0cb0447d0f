"""Small models with random weights, built in a second: each kind of architecture that users bring.

A model is built by a function without arguments that gives the module and its inputs, by name, with what the loss needs.
Its output is a dictionary (transformers' own outputs are) whose "loss" is to be lowered. Dropout is switched off: the
device draws other numbers than the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

os.environ.setdefault("HF_HUB_OFFLINE", "1")

Inputs = dict[str, torch.Tensor]
Build = Callable[[], tuple[nn.Module, Inputs]]

VOCABULARY = 61


def ids(batch: int = 2, length: int = 12) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (batch, length))


def padded(batch: int = 2, length: int = 12) -> Inputs:
    """Token ids, the last row three words short."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1, -3:] = 0
    return {"input_ids": ids(batch, length), "attention_mask": mask}


def images(batch: int = 2, size: int = 32) -> Inputs:
    return {"pixel_values": torch.randn(batch, 3, size, size), "labels": torch.arange(batch)}


def language_model(**batch: torch.Tensor) -> Inputs:
    batch = batch or padded()
    return {**batch, "labels": batch["input_ids"].clone()}


# ---- vision ---------------------------------------------------------------------------------------------------------


def resnet() -> tuple[nn.Module, Inputs]:
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[2, 2], layer_type="bottleneck", num_labels=5)
    return ResNetForImageClassification(config), images()


def vit() -> tuple[nn.Module, Inputs]:
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32,
                       patch_size=8, num_labels=5)  # fmt: skip
    return ViTForImageClassification(config), images()


def convnext() -> tuple[nn.Module, Inputs]:
    from transformers import ConvNextConfig, ConvNextForImageClassification

    config = ConvNextConfig(hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 2, 1], num_labels=5)
    return ConvNextForImageClassification(config), images(size=64)


def swin() -> tuple[nn.Module, Inputs]:
    from transformers import SwinConfig, SwinForImageClassification

    config = SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4,
                        num_labels=5, drop_path_rate=0.0)  # fmt: skip
    return SwinForImageClassification(config), images()


def segformer() -> tuple[nn.Module, Inputs]:
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    config = SegformerConfig(hidden_sizes=[8, 16], depths=[1, 1], num_encoder_blocks=2, sr_ratios=[4, 2],
                             num_attention_heads=[1, 2], patch_sizes=[7, 3], strides=[4, 2], mlp_ratios=[2, 2],
                             decoder_hidden_size=16, num_labels=5, drop_path_rate=0.0, classifier_dropout_prob=0.0,
                             hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
    return SegformerForSemanticSegmentation(config), {
        "pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.randint(0, 5, (2, 32, 32))}  # fmt: skip


class UNet(nn.Module):
    """Down by max pooling, up by a transposed convolution and by interpolation, skips by concatenation."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()

        def block(inner: int, outer: int) -> nn.Sequential:
            return nn.Sequential(
                nn.Conv2d(inner, outer, 3, padding=1), nn.BatchNorm2d(outer), nn.ReLU(inplace=True),
                nn.Conv2d(outer, outer, 3, padding=1), nn.GroupNorm(4, outer), nn.SiLU(),
            )  # fmt: skip

        self.down = nn.ModuleList([block(3, width), block(width, 2 * width)])
        self.middle = block(2 * width, 4 * width)
        self.learned_up = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.up = nn.ModuleList([block(4 * width, 2 * width), block(3 * width, width)])
        self.head = nn.Conv2d(width, 3, 1)

    def forward(self, pixel_values: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        first = self.down[0](pixel_values)
        second = self.down[1](F.max_pool2d(first, 2))
        x = self.learned_up(self.middle(F.max_pool2d(second, 2)))
        x = self.up[0](torch.cat((x, second), 1))
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        logits = self.head(self.up[1](torch.cat((x, first), 1)))
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def unet() -> tuple[nn.Module, Inputs]:
    return UNet(), {"pixel_values": torch.randn(2, 3, 16, 16), "labels": torch.randint(0, 3, (2, 16, 16))}


class VariationalAutoencoder(nn.Module):
    """Its noise comes in with the batch, so that both devices have the same."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(512, 16))
        self.decode = nn.Sequential(nn.Linear(8, 512), nn.ELU(), nn.Unflatten(1, (8, 8, 8)), nn.ConvTranspose2d(8, 1, 4, 2, 1))

    def forward(self, pixels: torch.Tensor, noise: torch.Tensor) -> dict[str, torch.Tensor]:
        mean, log_variance = self.encode(pixels).chunk(2, -1)
        logits = self.decode(mean + noise * (0.5 * log_variance).exp())
        distance = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
        return {"loss": F.binary_cross_entropy_with_logits(logits, pixels) + distance, "logits": logits}


def vae() -> tuple[nn.Module, Inputs]:
    return VariationalAutoencoder(), {"pixels": torch.rand(4, 1, 16, 16), "noise": torch.randn(4, 8)}


class AdversarialPair(nn.Module):
    """A generator and a discriminator, and the sum of their losses with a penalty on the gradient (a second derivative)."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.ConvTranspose2d(8, 16, 4), nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Tanh()
        )
        self.discriminator = nn.Sequential(
            nn.utils.parametrizations.spectral_norm(nn.Conv2d(1, 8, 4, 2, 1)), nn.LeakyReLU(0.2),
            nn.InstanceNorm2d(8, affine=True), nn.Flatten(), nn.Linear(128, 1),
        )  # fmt: skip

    def forward(self, real: torch.Tensor, noise: torch.Tensor) -> dict[str, torch.Tensor]:
        fake = self.generator(noise)
        between = (0.3 * real + 0.7 * fake.detach()).requires_grad_()
        (slope,) = torch.autograd.grad(self.discriminator(between).sum(), between, create_graph=True)
        penalty = (slope.flatten(1).norm(dim=1) - 1).square().mean()
        loss = F.softplus(-self.discriminator(fake)).mean() + F.softplus(-self.discriminator(real)).mean() + penalty
        return {"loss": loss, "fake": fake}


def gan() -> tuple[nn.Module, Inputs]:
    return AdversarialPair(), {"real": torch.randn(3, 1, 8, 8), "noise": torch.randn(3, 8, 1, 1)}


# ---- language -------------------------------------------------------------------------------------------------------

ENCODER = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
           "intermediate_size": 64, "max_position_embeddings": 40, "hidden_dropout_prob": 0.0,
           "attention_probs_dropout_prob": 0.0, "num_labels": 2}  # fmt: skip
DECODER = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
           "num_key_value_heads": 2, "intermediate_size": 64, "max_position_embeddings": 40, "pad_token_id": 0,
           "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip


def classify_texts() -> Inputs:
    return {**padded(), "labels": torch.tensor([0, 1])}


def bert() -> tuple[nn.Module, Inputs]:
    from transformers import BertConfig, BertForSequenceClassification

    return BertForSequenceClassification(BertConfig(**ENCODER)), classify_texts()


def roberta() -> tuple[nn.Module, Inputs]:
    from transformers import RobertaConfig, RobertaForMaskedLM

    return RobertaForMaskedLM(RobertaConfig(**ENCODER, pad_token_id=0)), language_model()


def distilbert() -> tuple[nn.Module, Inputs]:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    config = DistilBertConfig(vocab_size=VOCABULARY, dim=32, n_layers=2, n_heads=4, hidden_dim=64, dropout=0.0,
                              attention_dropout=0.0, seq_classif_dropout=0.0)  # fmt: skip
    return DistilBertForSequenceClassification(config), classify_texts()


def deberta() -> tuple[nn.Module, Inputs]:
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    config = DebertaV2Config(**ENCODER, relative_attention=True, pos_att_type=["p2c", "c2p"], max_relative_positions=16)
    return DebertaV2ForSequenceClassification(config), classify_texts()


def gpt2() -> tuple[nn.Module, Inputs]:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=40, resid_pdrop=0.0, embd_pdrop=0.0,
                        attn_pdrop=0.0, pad_token_id=0, bos_token_id=1, eos_token_id=2)  # fmt: skip
    return GPT2LMHeadModel(config), language_model()


def llama() -> tuple[nn.Module, Inputs]:
    """With grouped-query attention."""
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**DECODER)), language_model()


def qwen3() -> tuple[nn.Module, Inputs]:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(Qwen3Config(**DECODER, head_dim=8)), language_model()


def gemma2() -> tuple[nn.Module, Inputs]:
    """Sliding windows, capped scores."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    return Gemma2ForCausalLM(Gemma2Config(**DECODER, head_dim=8, sliding_window=4)), language_model()


def mixtral() -> tuple[nn.Module, Inputs]:
    """A mixture of experts."""
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(**DECODER, num_local_experts=4, num_experts_per_tok=2, output_router_logits=True)
    return MixtralForCausalLM(config), language_model()


def mamba() -> tuple[nn.Module, Inputs]:
    """A selective state space."""
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(vocab_size=VOCABULARY, hidden_size=32, state_size=8, num_hidden_layers=2, pad_token_id=0,
                         bos_token_id=1, eos_token_id=2)  # fmt: skip
    return MambaForCausalLM(config), language_model(input_ids=ids())


def bloom() -> tuple[nn.Module, Inputs]:
    """Positions as a bias on the scores."""
    from transformers import BloomConfig, BloomForCausalLM

    return BloomForCausalLM(BloomConfig(vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4)), language_model()


def t5() -> tuple[nn.Module, Inputs]:
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0,
                      feed_forward_proj="gated-gelu", decoder_start_token_id=0)  # fmt: skip
    return T5ForConditionalGeneration(config), {**padded(), "labels": ids(2, 7)}


def bart() -> tuple[nn.Module, Inputs]:
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(vocab_size=VOCABULARY, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=40,
                        dropout=0.0, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2)  # fmt: skip
    return BartForConditionalGeneration(config), {**padded(), "labels": ids(2, 7)}


class LstmTagger(nn.Module):
    """Embedding, two layers in both directions, packed sequences."""

    def __init__(self, kind: type[nn.RNNBase] = nn.LSTM) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, 16, padding_idx=0)
        self.memory = kind(16, 24, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(48, 5)

    def forward(self, input_ids: torch.Tensor, lengths: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(self.words(input_ids), lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.memory(packed)[0], batch_first=True)
        logits = self.head(states)
        return {"loss": F.cross_entropy(logits.flatten(0, 1), labels.flatten()), "logits": logits}


def tagged() -> Inputs:
    return {"input_ids": ids(3, 9), "lengths": torch.tensor([7, 9, 4]), "labels": torch.randint(0, 5, (3, 9))}


def lstm() -> tuple[nn.Module, Inputs]:
    return LstmTagger(), tagged()


def gru() -> tuple[nn.Module, Inputs]:
    return LstmTagger(nn.GRU), tagged()


class Translator(nn.Module):
    """torch.nn.Transformer with its masks."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, 32)
        self.body = nn.Transformer(32, 4, 2, 2, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(32, VOCABULARY)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1] - 1, device=target.device)
        x = self.body(self.words(source), self.words(target[:, :-1]), tgt_mask=causal, src_key_padding_mask=source == 0,
                      tgt_is_causal=True)  # fmt: skip
        logits = self.head(x)
        return {"loss": F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), label_smoothing=0.1), "logits": logits}


def transformer() -> tuple[nn.Module, Inputs]:
    source = ids(2, 8)
    source[1, 6:] = 0
    return Translator(), {"source": source, "target": ids(2, 7)}


# ---- sound, and several at once -------------------------------------------------------------------------------------


def whisper() -> tuple[nn.Module, Inputs]:
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(vocab_size=VOCABULARY, num_mel_bins=8, d_model=32, encoder_layers=2, decoder_layers=2,
                           encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
                           max_source_positions=20, max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                           decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)  # fmt: skip
    return WhisperForConditionalGeneration(config), {"input_features": torch.randn(2, 8, 40), "labels": ids(2, 7)}


def wav2vec2() -> tuple[nn.Module, Inputs]:
    """Convolutions over the raw sound, a positional convolution with weight normalisation, connectionist classes."""
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    config = Wav2Vec2Config(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                            intermediate_size=64, conv_dim=[16, 16, 16], conv_kernel=[10, 3, 2], conv_stride=[5, 2, 2],
                            num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, hidden_dropout=0.0,
                            attention_dropout=0.0, activation_dropout=0.0, feat_proj_dropout=0.0, final_dropout=0.0,
                            layerdrop=0.0, mask_time_prob=0.0, ctc_loss_reduction="mean")  # fmt: skip
    return Wav2Vec2ForCTC(config), {"input_values": torch.randn(2, 800), "labels": ids(2, 6)}


def clip() -> tuple[nn.Module, Inputs]:
    """Texts and images in one space."""
    from transformers import CLIPConfig, CLIPModel

    text = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "max_position_embeddings": 40, "eos_token_id": 2}  # fmt: skip
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 32,
              "patch_size": 8}  # fmt: skip
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=16))
    return model, {**padded(), "pixel_values": torch.randn(2, 3, 32, 32), "return_loss": True}


REQUIRED: list[Build] = [resnet, vit, bert, gpt2, llama, whisper, unet, lstm]
OTHERS: list[Build] = [
    convnext, swin, segformer, vae, gan, roberta, distilbert, deberta, qwen3, gemma2, mixtral, mamba, bloom, t5,
    bart, gru, transformer, wav2vec2, clip,
]  # fmt: skip
